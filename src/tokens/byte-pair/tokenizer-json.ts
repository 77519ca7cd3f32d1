import { addedTokensOf } from './added-tokens.js'
import { bpeModelOf } from './bpe-model.js'
import { bytesOfWritten } from './byte-alphabet.js'
import { type Fields, isObject, malformed, objectAt } from './file-field.js'
import { orderOf } from './merge-order.js'
import { aroundOf, roleId } from './post-processor.js'
import { preTokenizerOf } from './pre-tokenizer.js'
import type { AddedToken, BytePairSpec } from './spec.js'

const END_OF_TEXT = '<|endoftext|>'

/**
 * What the kernel needs of a tokenizer.json that is a byte-level BPE; undefined for any other, and for each part that
 * the kernel does not do exactly as the library that wrote the file. `truncation` and `padding` are not asked.
 *
 * Going through a vocabulary of 100,000 tokens takes about a tenth of a second, in one turn: a thread that loads
 * models calls it.
 *
 * @param tokenizerJson the parsed file
 * @param config the parsed tokenizer_config.json, where there is one
 * @throws InletError `model_failed` naming file, field and rule
 */
export function bytePairOf(tokenizerJson: unknown, config?: unknown): BytePairSpec | undefined {
  const file = objectAt(tokenizerJson, 'tokenizer.json')
  if (config !== undefined && !isObject(config))
    throw malformed('tokenizer_config.json', 'must be an object', config, 'tokenizer_config.json')
  const preTokenizer = preTokenizerOf(file.pre_tokenizer)
  const normalizes = normalizesOf(file.normalizer)
  if (preTokenizer === undefined || normalizes === undefined || (normalizes && preTokenizer.addsBlank))
    return undefined
  const model = bpeModelOf(objectAt(file.model, 'model'))
  if (model === undefined) return undefined
  const { vocab, merged } = model
  const addedTokens = addedTokensOf(file.added_tokens, vocab, normalizes)
  if (addedTokens === undefined) return undefined
  const added = new Map(addedTokens.map(({ literal, id }) => [literal, id]))
  const idOf = (literal: string) => added.get(literal) ?? vocab.get(literal)
  const around = aroundOf(file.post_processor, config, idOf)
  if (around === undefined) return undefined
  return {
    ...preTokenizer,
    normalizes,
    merged: merged.order,
    whole: model.whole,
    ids: model.ids,
    vocabulary: vocabularyOf(vocab, addedTokens),
    addedTokens,
    ...around,
    endOfText: endOfTextOf(config, idOf),
  }
}

/** Whether text is brought into normal form C; undefined for any other normalizer. */
function normalizesOf(normalizer: unknown): boolean | undefined {
  if (normalizer === undefined || normalizer === null) return false
  if (!isObject(normalizer)) throw malformed('normalizer', 'must be an object or null', normalizer)
  if (normalizer.type === 'NFC') return true
  if (normalizer.type !== 'Sequence' || !Array.isArray(normalizer.normalizers)) return undefined
  const all = normalizer.normalizers.map(normalizesOf)
  return all.includes(undefined) ? undefined : all.includes(true)
}

function endOfTextOf(
  config: Fields | undefined,
  idOf: (literal: string) => number | undefined,
): number | undefined {
  return (config && roleId(config, 'eos_token', idOf)) ?? idOf(END_OF_TEXT)
}

/** The bytes of all tokens by id; an added token's are those of its literal. */
function vocabularyOf(vocab: ReadonlyMap<string, number>, addedTokens: readonly AddedToken[]) {
  let size = 0
  for (const id of vocab.values()) size = Math.max(size, id + 1)
  for (const { id } of addedTokens) size = Math.max(size, id + 1)
  const tokens = new Array<Uint8Array | undefined>(size).fill(undefined)
  for (const [token, id] of vocab) tokens[id] = bytesOfWritten(token) ?? Buffer.from(token)
  for (const { literal, id } of addedTokens) tokens[id] = Buffer.from(literal)
  return orderOf(tokens)
}
