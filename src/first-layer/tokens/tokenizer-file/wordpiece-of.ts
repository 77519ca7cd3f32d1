import { z } from 'zod'
import type { AddedToken } from '../added-tokens.js'
import { stringOf, tokenStrings } from '../vocabulary.js'
import { NormalizationTable, normalizedText, UNCHANGED } from '../wordpiece/normalization.js'
import { pieceTrie } from '../wordpiece/piece-trie.js'
import { Bit } from '../wordpiece/unicode/character-facts.js'
import type { WordPieceSpec } from '../wordpiece/wordpiece-tokenizer.js'
import { fileError, type JsonObject, nameOf, parsed, typeOf, unicode } from './fields.js'
import type { FileModel } from './model-vocabulary.js'
import { type TokenizerFacts, trimsOffsets } from './tokenizer-facts.js'

/** BERT's is 100. A word takes at most the square of its length. */
const MOST_CHARACTERS_PER_WORD = 1000
const LONGEST_ADDED_TOKEN = 256 // bytes

const NORMALIZER = z.object({
  type: z.literal('BertNormalizer'),
  clean_text: z.boolean(),
  handle_chinese_chars: z.boolean(),
  strip_accents: z.boolean().nullish(),
  lowercase: z.boolean(),
})
const DECODER = z.object({ type: z.literal('WordPiece'), prefix: z.string(), cleanup: z.boolean() })

const COUNT = 'an integer from 1 on'
const MODEL = z.object({
  max_input_chars_per_word: z.int(COUNT).min(1, COUNT),
  continuing_subword_prefix: unicode,
  unk_token: unicode,
})

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
  const normalization = NORMALIZER.safeParse(root.normalizer ?? UNCHANGED).data
  if (normalization === undefined) return nameOf('normalizer', root.normalizer)
  if (typeOf(root.pre_tokenizer) !== 'BertPreTokenizer') return nameOf('pre_tokenizer', root.pre_tokenizer)
  if (facts.template === undefined || trimsOffsets(root.post_processor) !== undefined)
    return nameOf('post_processor', root.post_processor)
  const { data: decoder, success: isDecoder } = DECODER.nullish().safeParse(root.decoder)
  if (!isDecoder) return nameOf('decoder', root.decoder)
  const table = new NormalizationTable(normalization)
  const added = unusual(facts.addedTokens, table)
  if (added !== undefined) return added

  const { vocabulary, json } = model
  const {
    max_input_chars_per_word: maxCharactersPerWord,
    continuing_subword_prefix: prefix,
    unk_token: unknown,
  } = parsed(MODEL, json, place)
  if (maxCharactersPerWord > MOST_CHARACTERS_PER_WORD)
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
    trie: pieceTrie(vocabulary, prefix),
    unknownId: vocabulary.get(unknown),
    maxCharactersPerWord,
    addedTokens: facts.addedTokens,
    template: facts.template,
    strings,
    decoder: decoder ?? undefined,
    ...{ endOfText: facts.endOfText, marks: facts.marks },
  }
}

/** An added token as its id becomes text: one searched in normalized text is normalized itself. */
function foundAs({ content, normalized }: AddedToken, table: NormalizationTable): string {
  return normalized ? normalizedText(table, content) : content
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
    const key = normalizedText(table, content)
    if (key === '' || seen.has(key)) return name
    const ends = [key, [...key].at(-1)!].map((text) => text.codePointAt(0)!)
    if (strips && ends.some((codePoint) => table.has(codePoint, Bit.space))) return name
    if (stripsLeft && rstrip) return name
    seen.add(key)
  }
  return undefined
}
