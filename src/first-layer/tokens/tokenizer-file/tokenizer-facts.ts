import { type AddedToken, NO_TEMPLATE, type SpecialTemplate, type TokenFacts } from '../added-tokens.js'
import type { Trims } from '../tokenizer.js'
import {
  booleanField,
  fileError,
  isObject,
  type JsonObject,
  type Place,
  stringField,
  stringOf,
  typeOf,
} from './fields.js'
import { idOf, MAX_TOKEN_ID } from './model-vocabulary.js'

/** The facts in a tokenizer's files beside the model and its components. Plain data. */
export interface TokenizerFacts extends TokenFacts {
  readonly roles: Roles
  /** Role → id; absent if the literal is no token of the file. */
  readonly roleIds: Readonly<Partial<Record<keyof Roles, number>>>
  /** Ids around a document. Undefined: the file's post-processor does more than add ids. */
  readonly template: SpecialTemplate | undefined
}

export const ROLES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const
type Role = (typeof ROLES)[number]

/** Role → literal; roles without a literal are absent. */
type Roles = Readonly<Partial<Record<Role, string>>>

/** A small file beside tokenizer.json, parsed. */
export interface SideFile {
  readonly file: string
  readonly json: JsonObject
}

/**
 * Reads the literals of roles as transformers does: `bos_token` and so on, as a string or as an object with `content`,
 * from special_tokens_map.json (where it may be null: none), then from tokenizer_config.json; from the latter alone if it
 * has `added_tokens_decoder`.
 *
 * @throws InletError `model_failed`
 */
export function readRoles(config: SideFile | undefined, map: SideFile | undefined): Roles {
  const isMapRead = config?.json.added_tokens_decoder === undefined
  const files = [...(isMapRead ? [map] : []), config].filter((file) => file !== undefined)
  const roles: Partial<Record<Role, string>> = {}
  for (const role of ROLES) {
    const field = `${role}_token`
    const side = files.find(({ json }) => json[field] !== undefined)
    const value = side?.json[field] ?? null
    if (side !== undefined && value !== null) roles[role] = literalOf(value, field, side.file)
  }
  return roles
}

function literalOf(value: unknown, field: string, file: string): string {
  if (isObject(value)) return stringField(value, 'content', { file, path: field })
  if (typeof value === 'string') return stringOf(value, field, { file, path: '' })
  throw fileError({ file, path: '' }, field, 'a string, or an object with `content`', value)
}

/**
 * Reads `added_tokens`, with the Rust library's ids: the model's id if its vocabulary has the token, else the next id
 * behind the vocabulary. The library ignores the ids in the file.
 *
 * @throws InletError `model_failed`
 */
export function readAddedTokens(
  root: JsonObject,
  vocabulary: ReadonlyMap<string, number>,
  file: string,
): AddedToken[] {
  const entries = root.added_tokens ?? []
  if (!Array.isArray(entries)) throw fileError({ file, path: '' }, 'added_tokens', 'an array', entries)
  const idsOfFile = new Set<number>()
  const tokens = new Map<string, AddedToken>()
  let next = vocabulary.size
  entries.forEach((entry, i) => {
    const place = { file, path: `added_tokens.${i}` }
    if (!isObject(entry)) throw fileError(place, '', 'an object', entry)
    const idOfFile = idOf(entry.id, 'id', place)
    if (idsOfFile.has(idOfFile)) throw fileError(place, 'id', 'an id that no other added token has', idOfFile)
    idsOfFile.add(idOfFile)
    const content = stringField(entry, 'content', place)
    if (content === '') return
    const id = vocabulary.get(content) ?? tokens.get(content)?.id ?? next++
    if (id > MAX_TOKEN_ID) throw fileError(place, 'id', `at most ${MAX_TOKEN_ID}`, id)
    tokens.set(content, readToken(entry, id, content, place))
  })
  return [...tokens.values()]
}

function readToken(entry: JsonObject, id: number, content: string, place: Place): AddedToken {
  const special = booleanField(entry, 'special', place, false)
  return {
    id,
    content,
    special,
    normalized: booleanField(entry, 'normalized', place, !special),
    singleWord: booleanField(entry, 'single_word', place, false),
    lstrip: booleanField(entry, 'lstrip', place, false),
    rstrip: booleanField(entry, 'rstrip', place, false),
  }
}

/**
 * The ids that the file's post-processor puts around a document; undefined if it does more. `add_bos_token` and
 * `add_eos_token` of tokenizer_config.json say nothing here: transformers (5.23) drops both beside a tokenizer.json.
 */
export function templateOf(postProcessor: unknown, file: string): SpecialTemplate | undefined {
  const place = { file, path: 'post_processor' }
  if (postProcessor === undefined || postProcessor === null) return NO_TEMPLATE
  if (!isObject(postProcessor)) return undefined
  switch (typeOf(postProcessor)) {
    case 'ByteLevel':
      return NO_TEMPLATE
    case 'BertProcessing':
    case 'RobertaProcessing':
      return pairTemplate(postProcessor, place)
    case 'TemplateProcessing':
      return singleTemplate(postProcessor, place)
    case 'Sequence':
      return sequenceTemplate(postProcessor, file)
    default:
      return undefined
  }
}

/** Whether a post-processor trims whitespace from the ranges of tokens, which does not change ids. */
export function trimsOffsets(postProcessor: unknown): Trims | undefined {
  if (!isObject(postProcessor)) return undefined
  const { processors, trim_offsets: trims, add_prefix_space: addsBlank } = postProcessor
  if (Array.isArray(processors)) return processors.map(trimsOffsets).find((each) => each !== undefined)
  const type = typeOf(postProcessor)
  if ((type !== 'ByteLevel' && type !== 'RobertaProcessing') || trims === false) return undefined
  return addsBlank === false ? 'all' : 'all_but_first'
}

/** A sequence of post-processors: each puts its ids around those of the ones before. */
function sequenceTemplate({ processors }: JsonObject, file: string): SpecialTemplate | undefined {
  if (!Array.isArray(processors)) return undefined
  let all = NO_TEMPLATE
  for (const processor of processors) {
    const next = templateOf(processor, file)
    if (next === undefined) return undefined
    all = { before: [...next.before, ...all.before], after: [...all.after, ...next.after] }
  }
  return all
}

/** `"cls": ["<s>", 0], "sep": ["</s>", 2]` → 0 before and 2 after the text. */
function pairTemplate(postProcessor: JsonObject, place: Place): SpecialTemplate {
  const idIn = (field: 'cls' | 'sep') => {
    const pair = postProcessor[field]
    if (!Array.isArray(pair) || pair.length !== 2) throw fileError(place, field, 'a token and its id', pair)
    return idOf(pair[1], field, place)
  }
  return { before: [idIn('cls')], after: [idIn('sep')] }
}

function singleTemplate(postProcessor: JsonObject, place: Place): SpecialTemplate | undefined {
  const { single, special_tokens: specialTokens } = postProcessor
  if (!Array.isArray(single)) throw fileError(place, 'single', 'an array', single)
  const before: number[] = []
  const after: number[] = []
  let sequences = 0
  for (const [i, piece] of single.entries()) {
    if (isObject(piece) && isObject(piece.Sequence)) {
      if (piece.Sequence.id !== 'A') return undefined
      sequences++
      continue
    }
    const id = isObject(piece) && isObject(piece.SpecialToken) ? piece.SpecialToken.id : undefined
    const token = isObject(specialTokens) && typeof id === 'string' ? specialTokens[id] : undefined
    if (!isObject(token) || !Array.isArray(token.ids))
      throw fileError(place, `single.${i}`, 'a sequence, or one of `special_tokens`', id)
    const list = sequences === 0 ? before : after
    for (const one of token.ids) list.push(idOf(one, `single.${i}`, place))
  }
  return sequences === 1 ? { before, after } : undefined
}
