import type { AddedToken } from '../added-tokens.js'
import { stringOf, tokenStrings } from '../vocabulary.js'
import type { WordPieceDecoder } from '../wordpiece/decode.js'
import {
  type BertNormalization,
  NormalizationTable,
  normalizedCodePoints,
  UNCHANGED,
} from '../wordpiece/normalization.js'
import { pieceTrie } from '../wordpiece/piece-trie.js'
import type { WordPieceSpec } from '../wordpiece/wordpiece-tokenizer.js'
import { fileError, isObject, type JsonObject, nameOf, stringField, typeOf } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import { type TokenizerFacts, trimsOffsets } from './tokenizer-facts.js'

/** BERT's is 100. A word takes at most the square of its length. */
const MOST_CHARACTERS_PER_WORD = 1000
const LONGEST_ADDED_TOKEN = 256 // bytes

/**
 * The WordPiece tokenizer of a file; or the name of a component that ours does not have: `pre_tokenizer Whitespace`.
 *
 * @throws InletError `model_failed` for an invalid file
 */
export function wordPieceOf(
  root: JsonObject,
  model: FileModel,
  facts: TokenizerFacts,
  file: string,
): WordPieceSpec | string {
  const place = { file, path: 'model' }
  const normalization = normalizationOf(root.normalizer)
  if (typeof normalization === 'string') return normalization
  if (typeOf(root.pre_tokenizer) !== 'BertPreTokenizer') return nameOf('pre_tokenizer', root.pre_tokenizer)
  if (facts.template === undefined || trimsOffsets(root.post_processor) !== undefined)
    return nameOf('post_processor', root.post_processor)
  const decoder = decoderOf(root.decoder)
  if (typeof decoder === 'string') return decoder
  const table = new NormalizationTable(normalization ?? UNCHANGED)
  const added = unusual(facts.addedTokens, table)
  if (added !== undefined) return added

  const { vocabulary, json } = model
  const maxCharactersPerWord = json.max_input_chars_per_word
  if (!Number.isInteger(maxCharactersPerWord) || (maxCharactersPerWord as number) < 1)
    throw fileError(place, 'max_input_chars_per_word', 'an integer from 1 on', maxCharactersPerWord)
  if ((maxCharactersPerWord as number) > MOST_CHARACTERS_PER_WORD)
    return `max_input_chars_per_word ${maxCharactersPerWord}`
  const strings = tokenStrings([
    ...vocabulary,
    ...facts.addedTokens.map((token) => [foundAs(token, table), token.id] as const),
  ])
  for (const id of [...facts.template.before, ...facts.template.after])
    if (stringOf(strings, id) === undefined)
      throw fileError({ file, path: '' }, 'post_processor', 'made of ids that tokens have', id)
  return {
    normalization,
    trie: pieceTrie(vocabulary, stringField(json, 'continuing_subword_prefix', place)),
    unknownId: vocabulary.get(stringField(json, 'unk_token', place)),
    maxCharactersPerWord: maxCharactersPerWord as number,
    addedTokens: facts.addedTokens,
    template: facts.template,
    strings,
    decoder,
    ...{ endOfText: facts.endOfText, marks: facts.marks },
  }
}

/** An added token as its id becomes text: one searched in normalized text is normalized itself. */
function foundAs({ content, normalized }: AddedToken, table: NormalizationTable): string {
  return normalized ? String.fromCodePoint(...normalizedCodePoints(table, content)) : content
}

function normalizationOf(normalizer: unknown): BertNormalization | undefined | string {
  if (normalizer === null || normalizer === undefined) return undefined
  if (!isObject(normalizer) || typeOf(normalizer) !== 'BertNormalizer')
    return nameOf('normalizer', normalizer)
  const { clean_text, handle_chinese_chars, strip_accents = null, lowercase } = normalizer
  if (
    typeof clean_text !== 'boolean' ||
    typeof handle_chinese_chars !== 'boolean' ||
    typeof lowercase !== 'boolean' ||
    (strip_accents !== null && typeof strip_accents !== 'boolean')
  )
    return 'normalizer BertNormalizer with other fields'
  return {
    cleanText: clean_text,
    handleChineseChars: handle_chinese_chars,
    stripAccents: strip_accents ?? lowercase,
    lowercase,
  }
}

function decoderOf(decoder: unknown): WordPieceDecoder | undefined | string {
  if (decoder === null || decoder === undefined) return undefined
  if (!isObject(decoder) || typeOf(decoder) !== 'WordPiece') return nameOf('decoder', decoder)
  const { prefix, cleanup } = decoder
  if (typeof prefix !== 'string' || typeof cleanup !== 'boolean') return 'decoder WordPiece with other fields'
  return { prefix, cleanup }
}

/** The name of an added token that our reader would not match as the Rust library does. */
function unusual(tokens: readonly AddedToken[], table: NormalizationTable): string | undefined {
  const strips = tokens.some(({ lstrip, rstrip }) => lstrip || rstrip)
  const stripsLeft = tokens.some(({ lstrip, normalized }) => lstrip && !normalized)
  const seen = new Set<string>()
  for (const { content, normalized, rstrip } of tokens) {
    const name = `added token ${JSON.stringify(content.slice(0, 40).toWellFormed())}`
    if (Buffer.byteLength(content) > LONGEST_ADDED_TOKEN) return name
    if (strips && content.trim() !== content) return name
    if (!normalized) continue
    const codePoints = normalizedCodePoints(table, content)
    const key = codePoints.join()
    if (key === '' || seen.has(key)) return name
    if (strips && (table.isSpace(codePoints[0]) || table.isSpace(codePoints.at(-1)!))) return name
    if (stripsLeft && rstrip) return name
    seen.add(key)
  }
  return undefined
}
