import type { ChatCard } from '../first-layer/cards/model-card.js'
import { TOKENIZER_FILES } from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { isObject, type JsonObject, parseJsonFile } from '../first-layer/tokens/tokenizer-file/fields.js'
import { ROLES, readRoles, type SideFile } from '../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import { otherIds } from './auto-tokenizer.js'
import { ADDED_TOKENS_FILE, type CheckpointFiles, folderError, told } from './checkpoint-files.js'
import type { ConfigJson } from './config-json.js'

/** The chat template of a folder, and the folder that has others, each named by its file. */
export const CHAT_TEMPLATE_FILE = 'chat_template.jinja'
export const CHAT_TEMPLATE_FOLDER = 'additional_chat_templates'
const ENDING = '.jinja'

const NAMES = ROLES.map((role) => `${role}_token`)

/** Tokenizer classes without special tokens by default. */
const PLAIN_CLASSES = ['PreTrainedTokenizerFast', 'PreTrainedTokenizer', 'TokenizersBackend']

/**
 * Reads a folder's chat templates as transformers does: files before tokenizer_config.json.
 *
 * @param tokenizer tokenizer.json, if the folder has one
 * @param modelConfig config.json, if the folder has one
 * @throws InletError `model_failed` for a `chat_template` of another form
 */
export async function folderChat(
  files: CheckpointFiles,
  tokenizer: JsonObject | undefined,
  modelConfig: ConfigJson | undefined,
): Promise<ChatCard> {
  const config = await sideFile(files, TOKENIZER_FILES.config)
  const map = await sideFile(files, TOKENIZER_FILES.specialTokensMap)
  const added = await sideFile(files, ADDED_TOKENS_FILE)
  const others = {
    added: added?.json,
    modelType: modelConfig?.text('model_type'),
    modelClass: modelConfig?.text('tokenizer_class'),
  }
  const roles = readRoles(config, map)
  const isPlain = PLAIN_CLASSES.includes(String(config?.json.tokenizer_class))
  const isGiven = (name: string) =>
    [config, map].some((file) => file !== undefined && Object.hasOwn(file.json, name))
  return {
    templates: (await templateFiles(files)) ?? configTemplates(config?.json.chat_template),
    tokens: {
      ...Object.fromEntries(Object.entries(roles).map(([role, literal]) => [`${role}_token`, literal])),
      ...namedTokens(config?.json, map?.json),
    },
    unknownTokens: isPlain ? [] : NAMES.filter((name) => !isGiven(name)),
    otherIds: tokenizer && otherIds({ ...others, tokenizer, config: config?.json, map: map?.json }),
  }
}

/**
 * The tokens that a folder names beside the roles, `image_token` and so on, in the order in which transformers 5.24 lets
 * the ways of naming them win.
 */
function namedTokens(config: JsonObject = {}, map: JsonObject = {}): Record<string, string> {
  const isMapRead = config.added_tokens_decoder === undefined
  const fields = (json: JsonObject, isTyped: boolean) =>
    Object.entries(json).filter(
      ([name, value]) =>
        name.endsWith('_token') &&
        !NAMES.includes(name) &&
        (typeof value === 'string' || (isObject(value) && (!isTyped || value.__type === 'AddedToken'))),
    )
  const extra = [config.extra_special_tokens, config.additional_special_tokens].find(isFilled)
  const plain = fields(config, true).filter(([, value]) => typeof value === 'string')
  const own = [...plain, ...entriesOf(extra)]
  const named = [
    ...(isObject(config.extra_special_tokens) ? entriesOf(config.additional_special_tokens) : []),
    ...fields(config, true),
    ...(isMapRead ? fields(map, false) : []),
    ...(own.length > 0 ? own : entriesOf(config.model_specific_special_tokens)),
    ...(isMapRead ? entriesOf(map.extra_special_tokens) : []),
  ]
  return textsOf(named.map(([name, value]) => [name, isObject(value) ? value.content : value]))
}

/** The entries that are texts. */
function textsOf(entries: readonly (readonly [string, unknown])[]): Record<string, string> {
  return Object.fromEntries(entries.filter((each): each is [string, string] => typeof each[1] === 'string'))
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : []
}

async function sideFile(files: CheckpointFiles, file: string): Promise<SideFile | undefined> {
  const text = await files.text(file)
  return text === undefined ? undefined : { file, json: parseJsonFile(file, text) }
}

async function templateFiles(files: CheckpointFiles): Promise<ChatCard['templates']> {
  const only = await files.text(CHAT_TEMPLATE_FILE)
  const hasOthers = (await files.names()).includes(CHAT_TEMPLATE_FOLDER)
  const names = hasOthers ? await files.names(CHAT_TEMPLATE_FOLDER) : []
  const others = names.filter((name) => name.endsWith(ENDING))
  if (others.length === 0) return only
  const templates = new Map(only === undefined ? [] : [['default', only]])
  for (const name of others) {
    const text = await files.text(`${CHAT_TEMPLATE_FOLDER}/${name}`)
    if (text !== undefined) templates.set(name.slice(0, -ENDING.length), text)
  }
  return templates
}

/** `chat_template` of tokenizer_config.json: a text, a list of `{ name, template }`, or an object: name → template. */
function configTemplates(value: unknown): ChatCard['templates'] {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  if (Array.isArray(value) && value.every(isNamed))
    return new Map(value.map(({ name, template }) => [name, template]))
  if (isObject(value)) return new Map(Object.entries(textsOf(entriesOf(value))))
  const rule =
    '`chat_template` must be a string, an object, or an array of objects with `name` and `template`'
  throw folderError(TOKENIZER_FILES.config, `${rule}. Given: ${told(value)}`)
}

function isNamed(value: unknown): value is { name: string; template: string } & JsonObject {
  return isObject(value) && typeof value.name === 'string' && typeof value.template === 'string'
}
