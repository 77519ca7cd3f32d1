import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import { ALPHABET, MAX_TOKEN_BYTES, mergeOrder } from '../byte-pair/merge-order.js'
import { tableOfCuts } from '../byte-pair/pattern-table.js'
import { orderOf, tokensById } from '../vocabulary.js'
import { foundInAnotherPass, hasPlainOptions, mergesOf } from './byte-pair-of.js'
import { isObject, type JsonObject } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import type { TokenizerFacts } from './tokenizer-facts.js'

/** SentencePiece's visible blank, which the kernel reads as a blank. */
const BLANK = '▁'
const BYTE = /^<0x([0-9A-F]{2})>$/

/**
 * The kernel's input for SentencePiece's BPE with a token for each byte (Gemma, Llama 2, Mistral), or undefined if it would
 * not give the Rust library's ids. The kernel merges bytes: those of a character that is a token first, before all merges of
 * the file. What remains of other characters has no id (−1): it stands for the tokens of its bytes.
 */
export function sentencePieceOf(
  root: JsonObject,
  { json, vocabulary }: FileModel,
  { addedTokens, template, endOfText }: TokenizerFacts,
  file: string,
): BytePairSpec | undefined {
  const rule = blanksOf(root)
  if (rule === undefined || template === undefined || !hasPlainOptions(json)) return undefined
  if (json.byte_fallback !== true || json.ignore_merges === true) return undefined
  if (foundInAnotherPass(addedTokens, false) !== undefined) return undefined
  if (rule.isNormalizer && addedTokens.some(({ normalized }) => normalized)) return undefined

  const ids = new Map<string, number>()
  const merges: [string, string][] = []
  for (const [token, id] of vocabulary) {
    const byte = BYTE.exec(token)?.[1]
    if (byte !== undefined) ids.set(ALPHABET[Number.parseInt(byte, 16)], id)
  }
  const written = new Map<string, string>()
  for (const [token, id] of vocabulary) {
    // No text has a blank once its blanks are visible ones.
    if (BYTE.test(token) || token.includes(' ')) continue
    const bytes = writtenOf(token)
    for (let length = 2; length <= bytes.length && [...token].length === 1; length++) {
      const part = bytes.slice(0, length)
      if (!ids.has(part)) merges.push([part.slice(0, -1), part.slice(-1)])
      if (!ids.has(part)) ids.set(part, -1)
    }
    ids.set(bytes, id)
    written.set(token, bytes)
  }
  if (!written.has(BLANK) || !ALPHABET.every((character) => ids.has(character))) return undefined
  // What an added token is found in before the merges is never merged.
  const found = new Set(addedTokens.filter((t) => !t.special).map(({ content }) => content))
  const live: Merge[] = []
  for (const [left, right] of mergesOf(json, file)) {
    const union = left + right
    if (union.includes(' ') || (found.has(union) && !union.includes(BLANK))) continue
    const [l, r] = [written.get(left), written.get(right)]
    if (l === undefined || r === undefined || !written.has(union)) return undefined
    live.push({ left: l, right: r, union: union.replaceAll(BLANK, ' ') })
  }
  const blanks = rule.isSplit ? 1 : blanksFirst(live)
  const joins: string[] = []
  for (const { left, right, union } of live) {
    if (blanks > 1 && isBlanks(union)) continue
    merges.push([left, right])
    if (!rule.isSplit || !union.includes(' ', 1)) joins.push(union)
  }
  const merged = mergeOrder(ids, merges, () => new Error('every half is listed'))
  if (merged === undefined) return undefined

  const tokens = tokensById(vocabulary, (token) => {
    const byte = BYTE.exec(token)?.[1]
    return byte === undefined
      ? Buffer.from(token.replaceAll(BLANK, ' '))
      : Uint8Array.of(Number.parseInt(byte, 16))
  })
  for (const { content, id } of addedTokens) {
    if (tokens[id] !== undefined && vocabulary.get(content) !== id) return undefined
    tokens[id] ??= Buffer.from(content)
  }
  if (![...template.before, ...template.after].every((id) => tokens[id])) return undefined
  const whole = Array.from({ length: blanks - 1 }, (_, i) => BLANK.repeat(i + 2))
  return {
    pattern: tableOfCuts(joins, blanks),
    addsBlank: rule.addsBlank,
    normalizes: false,
    isSentencePiece: true,
    merged: merged.order,
    whole: whole.length > 0 ? orderOf(whole.map((token) => tokens[vocabulary.get(token)!])) : undefined,
    ids: Int32Array.from([...merged.ids, ...whole.map((token) => vocabulary.get(token)!)]),
    vocabulary: orderOf(Array.from(tokens)),
    ...{ addedTokens, template, endOfText },
  }
}

/** The halves in the byte alphabet, and the text of both. */
interface Merge {
  readonly left: string
  readonly right: string
  readonly union: string
}

const isBlanks = (union: string) => /^ {2,}$/.test(union)

/**
 * How many blanks are one token, if the merges (Gemma 3's) put the next one to two or more before all else: the first so
 * many of a row of blanks, then the next. Else 1. No other token may have two blanks side by side.
 */
function blanksFirst(merges: readonly Merge[]): number {
  const rows = merges.filter(({ union }) => isBlanks(union))
  const longest = rows.reduce((most, { union }) => Math.max(most, union.length), 1)
  const places = new Map(rows.map(({ left, right }, i) => [`${left.length} ${right.length}`, i]))
  const last = places.get('1 1') ?? 0
  for (let row = 1; row < longest; row++)
    if ((places.get(`${row} 1`) ?? Number.POSITIVE_INFINITY) > last) return 1
  const others = merges.slice(rows.length)
  const isOther = others.some(({ union }) => union.includes('  '))
  return isOther || longest > MAX_TOKEN_BYTES ? 1 : longest
}

/** A token's UTF-8 in the byte alphabet, with blanks. */
function writtenOf(token: string): string {
  let written = ''
  for (const byte of Buffer.from(token.replaceAll(BLANK, ' '))) written += ALPHABET[byte]
  return written
}

/** Where a file puts blanks, and whether it cuts before each of them; undefined for other normalizers and pre-tokenizers. */
function blanksOf({ normalizer, pre_tokenizer: cutter }: JsonObject) {
  const steps = stepsOf(normalizer)
  const prepends = steps[0]?.type === 'Prepend'
  if (prepends && steps[0]?.prepend !== BLANK) return undefined
  const [replace, double, ...more] = prepends ? steps.slice(1) : steps
  const isNormalizer = replace !== undefined
  if (isNormalizer && !replaces(replace, { String: ' ' }, BLANK)) return undefined
  // Doubles a blank at the beginning, to which Metaspace adds none then: so one is put before every text.
  const doubles = double !== undefined
  if (more.length > 0 || (doubles && !replaces(double, { Regex: `\\A${BLANK}` }, BLANK + BLANK)))
    return undefined
  const cuts = stepsOf(cutter)
  const [cut] = cuts
  if (cuts.length > 1 || (prepends && !isNormalizer)) return undefined
  if (cut?.type === 'Metaspace' && cut.replacement === BLANK && !prepends) {
    const scheme = cut.prepend_scheme
    if (scheme !== 'always' && scheme !== 'first' && scheme !== 'never') return undefined
    if (doubles && scheme !== 'always') return undefined
    const base = scheme === 'first' ? scheme : scheme === 'always'
    const addsBlank: BytePairSpec['addsBlank'] = doubles ? 'always' : base
    return { addsBlank, isSplit: cut.split !== false, isNormalizer }
  }
  // Gemma's cut is at blanks, of which the normalizer leaves none.
  const isNone =
    cut === undefined ||
    (cut.type === 'Split' && isObject(cut.pattern) && cut.pattern.String === ' ' && cut.invert !== true)
  if (!isNone || !isNormalizer || doubles) return undefined
  return { addsBlank: prepends ? ('always' as const) : false, isSplit: false, isNormalizer }
}

/** Whether a step is `Replace` of this pattern by this content. */
function replaces({ type, pattern, content }: JsonObject, from: object, to: string): boolean {
  return type === 'Replace' && content === to && JSON.stringify(pattern) === JSON.stringify(from)
}

/** The steps of a `normalizer` or `pre_tokenizer`, which may be one. */
function stepsOf(given: unknown): readonly JsonObject[] {
  if (!isObject(given)) return []
  const steps = given.normalizers ?? given.pretokenizers
  return given.type === 'Sequence' && Array.isArray(steps) ? steps.filter(isObject) : [given]
}
