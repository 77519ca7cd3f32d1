import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import { ALPHABET, mergeOrder, orderOf } from '../byte-pair/merge-order.js'
import { tableOfCuts } from '../byte-pair/pattern-table.js'
import { foundInAnotherPass, hasPlainOptions } from './byte-pair-of.js'
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
): BytePairSpec | undefined {
  const rule = blanksOf(root)
  if (rule === undefined || template === undefined || !hasPlainOptions(json)) return undefined
  if (json.byte_fallback !== true || json.ignore_merges === true || !Array.isArray(json.merges))
    return undefined
  if (foundInAnotherPass(addedTokens, false) !== undefined) return undefined
  if (rule.isNormalizer && addedTokens.some(({ normalized }) => normalized)) return undefined

  const ids = new Map<string, number>()
  const merges: [string, string][] = []
  const joins: string[] = []
  for (const [token, id] of vocabulary) {
    const byte = BYTE.exec(token)?.[1]
    if (byte === undefined) continue
    const character = ALPHABET[Number.parseInt(byte, 16)]!
    if (!ids.has(character)) ids.set(character, id)
  }
  if (ids.size < ALPHABET.length) return undefined
  for (const [token, id] of vocabulary) {
    if (token === ' ' || [...token].length !== 1) continue
    const written = writtenOf(token)
    for (let length = 2; length <= written.length; length++) {
      const part = written.slice(0, length)
      if (!ids.has(part)) merges.push([part.slice(0, -1), part.slice(-1)])
      if (!ids.has(part)) ids.set(part, -1)
    }
    ids.set(written, id)
  }
  for (const merge of json.merges) {
    const halves: unknown = typeof merge === 'string' ? merge.split(' ') : merge
    if (!Array.isArray(halves) || halves.length !== 2) return undefined
    const tokens: unknown[] = [...halves, halves.join('')]
    if (!tokens.every((token) => typeof token === 'string' && vocabulary.has(token) && !BYTE.test(token)))
      return undefined
    const [left, right, union] = tokens as [string, string, string]
    // No text has a blank once its blanks are visible ones.
    if (union.includes(' ')) continue
    ids.set(writtenOf(left), vocabulary.get(left)!)
    ids.set(writtenOf(right), vocabulary.get(right)!)
    ids.set(writtenOf(union), vocabulary.get(union)!)
    merges.push([writtenOf(left), writtenOf(right)])
    if (!rule.isSplit || !union.includes(BLANK, 1)) joins.push(union.replaceAll(BLANK, ' '))
  }
  const merged = mergeOrder(ids, merges, () => new Error('every half is listed'))
  if (merged === undefined) return undefined

  const size = [...vocabulary.values(), ...addedTokens.map(({ id }) => id)].reduce(
    (a, b) => Math.max(a, b),
    0,
  )
  const tokens = new Array<Uint8Array | undefined>(size + 1).fill(undefined)
  for (const [token, id] of vocabulary) {
    const byte = BYTE.exec(token)?.[1]
    tokens[id] =
      byte === undefined
        ? Buffer.from(token.replaceAll(BLANK, ' '))
        : Uint8Array.of(Number.parseInt(byte, 16))
  }
  for (const { content, id } of addedTokens) tokens[id] = Buffer.from(content)
  if (![...template.before, ...template.after].every((id) => tokens[id])) return undefined
  return {
    pattern: tableOfCuts(joins),
    addsBlank: rule.addsBlank,
    normalizes: false,
    isSentencePiece: true,
    ...{ merged: merged.order, whole: undefined, ids: merged.ids, vocabulary: orderOf(tokens) },
    ...{ addedTokens, template, endOfText },
  }
}

/** A token's UTF-8 in the byte alphabet, with blanks. */
function writtenOf(token: string): string {
  let written = ''
  for (const byte of Buffer.from(token.replaceAll(BLANK, ' '))) written += ALPHABET[byte]
  return written
}

/** Where a file puts blanks, and whether it cuts before each of them; undefined for other normalizers and pre-tokenizers. */
function blanksOf({ normalizer, pre_tokenizer: cut }: JsonObject) {
  const steps = stepsOf(normalizer)
  const prepends = steps[0]?.type === 'Prepend'
  if (prepends && steps[0]?.prepend !== BLANK) return undefined
  const rest = prepends ? steps.slice(1) : steps
  const [replace] = rest
  if (rest.length === 1 && replace?.type === 'Replace') {
    const { pattern, content } = replace
    if (!isObject(pattern) || pattern.String !== ' ' || content !== BLANK) return undefined
    // Gemma's cut is at blanks, of which the normalizer leaves none.
    const isCut =
      isObject(cut) && !(cut.type === 'Split' && isObject(cut.pattern) && cut.pattern.String === ' ')
    if (isCut) return undefined
    return { addsBlank: prepends ? ('always' as const) : false, isSplit: false, isNormalizer: true }
  }
  if (steps.length > 0 || !isObject(cut) || cut.type !== 'Metaspace' || cut.replacement !== BLANK)
    return undefined
  const scheme = cut.prepend_scheme
  if (scheme !== 'always' && scheme !== 'first' && scheme !== 'never') return undefined
  const addsBlank: BytePairSpec['addsBlank'] = scheme === 'first' ? scheme : scheme === 'always'
  return { addsBlank, isSplit: cut.split !== false, isNormalizer: false }
}

function stepsOf(normalizer: unknown): readonly JsonObject[] {
  if (!isObject(normalizer)) return []
  const { normalizers } = normalizer
  return normalizer.type === 'Sequence' && Array.isArray(normalizers)
    ? normalizers.filter(isObject)
    : [normalizer]
}
