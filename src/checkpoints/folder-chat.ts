import type { ChatCard } from '../first-layer/cards/model-card.js'
import { TOKENIZER_FILES } from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { isObject, type JsonObject, parseJsonFile } from '../first-layer/tokens/tokenizer-file/fields.js'
import { ROLES, readRoles, type SideFile } from '../first-layer/tokens/tokenizer-file/tokenizer-facts.js'
import { otherIds } from './auto-tokenizer.js'
import {
  ADDED_TOKENS_FILE,
  type CheckpointFiles,
  folderError,
  MAX_TOKENIZER_SIDE_BYTES,
  told,
} from './checkpoint-files.js'
import type { ConfigJson } from './config-json.js'

/** The chat template of a folder, and the folder that has others, each named by its file. */
export const CHAT_TEMPLATE_FILE = 'chat_template.jinja'
export const CHAT_TEMPLATE_FOLDER = 'additional_chat_templates'
const ENDING = '.jinja'
const MAX_TEMPLATE_BYTES = 1 << 20

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
  const names = ROLES.map((role) => `${role}_token`)
  return {
    templates: (await templateFiles(files)) ?? configTemplates(config?.json.chat_template),
    tokens: Object.fromEntries(Object.entries(roles).map(([role, literal]) => [`${role}_token`, literal])),
    unknownTokens: isPlain ? [] : names.filter((name) => !isGiven(name)),
    otherIds: tokenizer && otherIds({ ...others, tokenizer, config: config?.json, map: map?.json }),
  }
}

async function sideFile(files: CheckpointFiles, file: string): Promise<SideFile | undefined> {
  const text = await files.text(file, MAX_TOKENIZER_SIDE_BYTES)
  return text === undefined ? undefined : { file, json: parseJsonFile(file, text) }
}

async function templateFiles(files: CheckpointFiles): Promise<ChatCard['templates']> {
  const templates = new Map<string, string>()
  const only = await files.text(CHAT_TEMPLATE_FILE, MAX_TEMPLATE_BYTES)
  if (only !== undefined) templates.set('default', only)
  if ((await files.names()).includes(CHAT_TEMPLATE_FOLDER)) {
    for (const name of await files.names(CHAT_TEMPLATE_FOLDER)) {
      if (!name.endsWith(ENDING)) continue
      const text = await files.text(`${CHAT_TEMPLATE_FOLDER}/${name}`, MAX_TEMPLATE_BYTES)
      if (text !== undefined) templates.set(name.slice(0, -ENDING.length), text)
    }
  }
  if (templates.size === 0) return undefined
  return templates.size === 1 && only !== undefined ? only : templates
}

/** `chat_template` of tokenizer_config.json: a text, or a list of `{ name, template }`. */
function configTemplates(value: unknown): ChatCard['templates'] {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  if (Array.isArray(value) && value.every(isNamed))
    return new Map(value.map(({ name, template }) => [name, template]))
  const rule = '`chat_template` must be a string, or an array of objects with `name` and `template`'
  throw folderError(TOKENIZER_FILES.config, `${rule}. Given: ${told(value)}`)
}

function isNamed(value: unknown): value is { name: string; template: string } & JsonObject {
  return isObject(value) && typeof value.name === 'string' && typeof value.template === 'string'
}
