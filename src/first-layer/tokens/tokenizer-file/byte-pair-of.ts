import type { AddedToken } from '../added-tokens.js'
import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import {
  bytesOfWritten,
  type ListedMerge,
  MAX_TOKEN_BYTES,
  type Merged,
  mergeOrder,
} from '../byte-pair/merge-order.js'
import type { MergeOrder } from '../vocabulary.js'
import { orderOf } from '../vocabulary.js'
import { preTokenizerOf } from './byte-pair-pattern.js'
import { fileError, isObject, type JsonObject, nameOf, type Place } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import { type TokenizerFacts, trimsOffsets } from './tokenizer-facts.js'

/**
 * The kernel's input for a tokenizer.json that is a byte-level BPE; or the name of a component for which the kernel would
 * not give the Rust library's ids: `pre_tokenizer Whitespace`. Ignores `truncation` and `padding`.
 *
 * Reading a vocabulary of 100,000 tokens takes about a tenth of a second, in one turn: call it in a thread that loads
 * models.
 *
 * @throws InletError `model_failed` with file, field and rule
 */
export function bytePairOf(
  root: JsonObject,
  model: FileModel,
  facts: TokenizerFacts,
  file: string,
): BytePairSpec | string {
  const preTokenizer = preTokenizerOf(root.pre_tokenizer)
  if (preTokenizer === undefined) return nameOf('pre_tokenizer', root.pre_tokenizer)
  const normalizes = normalizesOf(root.normalizer, file)
  if (normalizes === undefined || (normalizes && preTokenizer.addsBlank))
    return nameOf('normalizer', root.normalizer)
  const { addedTokens, template } = facts
  if (template === undefined) return nameOf('post_processor', root.post_processor)
  const added = foundInAnotherPass(addedTokens, normalizes)
  if (added !== undefined) return `added token ${JSON.stringify(added.slice(0, 40).toWellFormed())}`
  const bpe = bpeModelOf(model, file)
  if (bpe === undefined) return 'merges or options of another kind'
  const vocabulary = vocabularyOf(model.vocabulary, addedTokens)
  for (const id of [...template.before, ...template.after])
    if (!((vocabulary.offsets[id] ?? 0) < (vocabulary.offsets[id + 1] ?? 0)))
      throw fileError({ file, path: '' }, 'post_processor', 'made of ids that tokens have', id)
  return {
    ...preTokenizer,
    normalizes,
    merged: bpe.merged.order,
    whole: bpe.whole,
    ids: bpe.ids,
    vocabulary,
    addedTokens,
    trims: trimsOffsets(root.post_processor),
    template,
    ...{ endOfText: facts.endOfText, marks: facts.marks },
  }
}

/** Whether the normalizer brings text into normal form C; undefined for a normalizer that does more. */
function normalizesOf(normalizer: unknown, file: string): boolean | undefined {
  if (normalizer === undefined || normalizer === null) return false
  if (!isObject(normalizer))
    throw fileError({ file, path: '' }, 'normalizer', 'an object or null', normalizer)
  if (normalizer.type === 'NFC') return true
  if (normalizer.type !== 'Sequence' || !Array.isArray(normalizer.normalizers)) return undefined
  const all = normalizer.normalizers.map((one) => normalizesOf(one, file))
  return all.includes(undefined) ? undefined : all.includes(true)
}

/**
 * The bytes of all tokens by id, as the file's decoder reads them: of an added token too, whose literal may be written in
 * the byte alphabet: `é` is the byte E9.
 */
function vocabularyOf(vocab: ReadonlyMap<string, number>, addedTokens: readonly AddedToken[]) {
  let size = 0
  for (const id of vocab.values()) size = Math.max(size, id + 1)
  for (const { id } of addedTokens) size = Math.max(size, id + 1)
  const tokens = new Array<Uint8Array | undefined>(size).fill(undefined)
  for (const [token, id] of vocab) tokens[id] = bytesOfWritten(token) ?? Buffer.from(token)
  for (const { content, id } of addedTokens) tokens[id] = bytesOfWritten(content) ?? Buffer.from(content)
  return orderOf(tokens)
}

/**
 * The first added token that one search through the original text cannot find; undefined: there is none. These are
 * - tokens that count as whole words only;
 * - tokens searched in normalized text, if the normalizer could change their characters, or if they could be found where
 *   a token that is searched before them begins;
 * - tokens that begin or end with whitespace, if a token strips whitespace;
 * - tokens searched in normalized text that take the whitespace behind them along, if one searched before takes that before it.
 */
export function foundInAnotherPass(tokens: readonly AddedToken[], normalizes: boolean): string | undefined {
  const first = tokens.filter((t) => !t.normalized)
  const strips = tokens.some((t) => t.lstrip || t.rstrip)
  const stripsLeft = first.some((t) => t.lstrip)
  const other = tokens.find(
    (token) =>
      token.singleWord ||
      (strips && /^\s|\s$|^\u0085|\u0085$/.test(token.content)) ||
      (token.normalized &&
        // No normal form changes blanks, tabs and newlines, or makes them of other characters.
        ((normalizes && !/^[\t\n\r ]+$/.test(token.content)) ||
          (stripsLeft && token.rstrip) ||
          first.some(({ content }) => mayHide(token.content, content)))),
  )
  return other?.content
}

/**
 * Whether one search from the left could find `token` over the beginning of `first`, which is searched before it. If only
 * `first` lies over `token`'s beginning, or over all of it, it is the one that one search finds too.
 */
function mayHide(token: string, first: string): boolean {
  const begins = Array.from({ length: first.length }, (_, i) => first.slice(0, i))
  return token.includes(first) || begins.some((part) => part !== '' && part !== token && token.endsWith(part))
}

/** The `model` of a tokenizer.json. */
interface BpeModel {
  readonly merged: Merged
  /** Tokens that no merge gives, each for pieces equal to it (`ignore_merges`). */
  readonly whole: MergeOrder | undefined
  /** The ids of `merged`, then those of `whole`. */
  readonly ids: Int32Array
}

/**
 * A BPE model over bytes; undefined for other models, for options that byte-level vocabularies do not use, and for an
 * ambiguous merge order.
 *
 * @throws InletError `model_failed` if the file is no tokenizer.json
 */
function bpeModelOf({ vocabulary, json }: FileModel, file: string): BpeModel | undefined {
  if (!hasPlainOptions(json)) return undefined
  const place = { file, path: 'model' }
  const listed = json.merges ?? []
  if (!Array.isArray(listed)) throw fileError(place, 'merges', 'an array', listed)
  const unlisted = ({ left, right, rank }: ListedMerge) =>
    fileError(
      place,
      `merges.${rank}`,
      'two tokens that, with their union, stand in `model.vocab`',
      `${left} ${right}`,
    )
  const merged = mergeOrder(
    vocabulary,
    listed.map((merge, i) => mergeAt(merge, i, place)),
    unlisted,
  )
  if (merged === undefined) return undefined
  if (json.ignore_merges !== true) return { merged, whole: undefined, ids: merged.ids }
  const left = tokensLeft(vocabulary, merged.ids)
  if (left.some(([token]) => token.length > MAX_TOKEN_BYTES)) return undefined
  return {
    merged,
    whole: left.length === 0 ? undefined : orderOf(left.map(([token]) => bytesOfWritten(token))),
    ids: Int32Array.from([...merged.ids, ...left.map(([, id]) => id)]),
  }
}

/** The tokens of the byte alphabet that no merge gives. */
function tokensLeft(vocab: ReadonlyMap<string, number>, ids: Int32Array): [string, number][] {
  const merged = new Set(ids)
  return [...vocab].filter(
    ([token, id]) => !merged.has(id) && token !== '' && bytesOfWritten(token) !== undefined,
  )
}

export function hasPlainOptions(model: JsonObject): boolean {
  const isAbsent = (name: string) => (model[name] ?? '') === ''
  return (model.dropout ?? 0) === 0 && isAbsent('continuing_subword_prefix') && isAbsent('end_of_word_suffix')
}

/** One merge in either form, `"a b"` or `["a", "b"]`. */
function mergeAt(merge: unknown, index: number, place: Place): readonly [string, string] {
  const halves = typeof merge === 'string' ? merge.split(' ') : merge
  if (Array.isArray(halves) && halves.length === 2 && halves.every((half) => typeof half === 'string'))
    return halves as [string, string]
  throw fileError(place, `merges.${index}`, 'two tokens, as `"a b"` or `["a", "b"]`', merge)
}
