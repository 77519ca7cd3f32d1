import { z } from 'zod'
import { type AddedToken, NO_TEMPLATE, type SpecialTemplate, type TokenFacts } from '../added-tokens.js'
import type { Trims } from '../tokenizer.js'
import { fileError, isObject, type JsonObject, type Place, parsed, typeOf, unicode } from './fields.js'
import { MAX_TOKEN_ID, tokenId } from './model-vocabulary.js'

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
  const place = { file, path: field }
  if (isObject(value)) return parsed(unicode, value.content, place, 'content')
  if (typeof value === 'string') return parsed(unicode, value, place)
  throw fileError(place, '', 'a string, or an object with `content`', value)
}

const flag = z.boolean('true or false').nullish()
const ADDED_TOKENS = z.array(
  z.object(
    {
      ...{ id: tokenId, content: unicode, special: flag, normalized: flag },
      ...{ single_word: flag, lstrip: flag, rstrip: flag },
    },
    'an object',
  ),
  'an array',
)

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
  const entries = parsed(ADDED_TOKENS, root.added_tokens ?? [], { file, path: 'added_tokens' })
  const idsOfFile = new Set<number>()
  const tokens = new Map<string, AddedToken>()
  let next = vocabulary.size
  for (const [i, entry] of entries.entries()) {
    const { content, special, normalized, single_word: singleWord, lstrip, rstrip } = entry
    const place = { file, path: `added_tokens.${i}` }
    if (idsOfFile.has(entry.id)) throw fileError(place, 'id', 'an id that no other added token has', entry.id)
    idsOfFile.add(entry.id)
    if (content === '') continue
    const id = vocabulary.get(content) ?? tokens.get(content)?.id ?? next++
    if (id > MAX_TOKEN_ID) throw fileError(place, 'id', `at most ${MAX_TOKEN_ID}`, id)
    tokens.set(content, {
      ...{ id, content, special: special ?? false, normalized: normalized ?? !special },
      ...{ singleWord: singleWord ?? false, lstrip: lstrip ?? false, rstrip: rstrip ?? false },
    })
  }
  return [...tokens.values()]
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

const TOKEN_AND_ID = z.tuple([z.unknown(), tokenId], 'a token and its id')
const PAIR = z.object({ cls: TOKEN_AND_ID, sep: TOKEN_AND_ID })

/** `"cls": ["<s>", 0], "sep": ["</s>", 2]` → 0 before and 2 after the text. */
function pairTemplate(postProcessor: JsonObject, place: Place): SpecialTemplate {
  const { cls, sep } = parsed(PAIR, postProcessor, place)
  return { before: [cls[1]], after: [sep[1]] }
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
    list.push(...parsed(z.array(tokenId), token.ids, place, `single.${i}`))
  }
  return sequences === 1 ? { before, after } : undefined
}
