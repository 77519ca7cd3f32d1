import type { AddedToken } from '../added-tokens.js'
import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import { bytesOfWritten, MAX_TOKEN_BYTES, mergeOrder } from '../byte-pair/merge-order.js'
import { orderOf, tokensById } from '../vocabulary.js'
import { preTokenizerOf } from './byte-pair-pattern.js'
import { fileError, isObject, type JsonObject, nameOf } from './fields.js'
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
  const other = foundInAnotherPass(addedTokens, normalizes)
  if (other !== undefined) return `added token ${JSON.stringify(other.slice(0, 40).toWellFormed())}`
  const bpe = bpeModelOf(model, file)
  if (bpe === undefined) return 'merges or options of another kind'
  const added = addedTokens.map(({ content, id }) => [content, id] as const)
  // As the file's decoder reads them; an added token's literal may be written in the byte alphabet too: `é` is the byte E9.
  const tokens = tokensById(
    [...model.vocabulary, ...added],
    (token) => bytesOfWritten(token) ?? Buffer.from(token),
  )
  for (const id of [...template.before, ...template.after])
    if (tokens[id] === undefined)
      throw fileError({ file, path: '' }, 'post_processor', 'made of ids that tokens have', id)
  return {
    ...preTokenizer,
    normalizes,
    ...bpe,
    vocabulary: orderOf(tokens),
    trims: trimsOffsets(root.post_processor),
    ...{ addedTokens, template, endOfText: facts.endOfText, marks: facts.marks },
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

/**
 * The tokens of a BPE model over bytes; undefined for other models, for options that byte-level vocabularies do not use,
 * and for an ambiguous merge order.
 *
 * @throws InletError `model_failed` if the file is no tokenizer.json
 */
function bpeModelOf(
  { vocabulary, json }: FileModel,
  file: string,
): Pick<BytePairSpec, 'merged' | 'whole' | 'ids'> | undefined {
  if (!hasPlainOptions(json)) return undefined
  const rule = 'two tokens that, with their union, stand in `model.vocab`'
  const formed = mergeOrder(vocabulary, mergesOf(json, file), ({ left, right, rank }) =>
    fileError({ file, path: 'model' }, `merges.${rank}`, rule, `${left} ${right}`),
  )
  if (formed === undefined) return undefined
  const { order: merged, ids } = formed
  const left = json.ignore_merges === true ? tokensLeft(vocabulary, ids) : []
  if (left.length === 0) return { merged, ids }
  if (left.some(([token]) => token.length > MAX_TOKEN_BYTES)) return undefined
  return {
    merged,
    whole: orderOf(left.map(([token]) => bytesOfWritten(token))),
    ids: Int32Array.from([...ids, ...left.map(([, id]) => id)]),
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

/** The merges, each in either form, `"a b"` or `["a", "b"]`. @throws InletError `model_failed` */
export function mergesOf(model: JsonObject, file: string): (readonly [string, string])[] {
  const place = { file, path: 'model' }
  const listed = model.merges ?? []
  if (!Array.isArray(listed)) throw fileError(place, 'merges', 'an array', listed)
  return listed.map((merge: unknown, i) => {
    const halves = typeof merge === 'string' ? merge.split(' ') : merge
    if (Array.isArray(halves) && halves.length === 2 && halves.every((half) => typeof half === 'string'))
      return halves as [string, string]
    throw fileError(place, `merges.${i}`, 'two tokens, as `"a b"` or `["a", "b"]`', merge)
  })
}
