import { ALPHABET, bytesOfWritten } from '../byte-pair/merge-order.js'
import { sourceOf } from './cutting.js'
import type { TrainedTokens } from './trainer.js'

/** tokenizer.json's content, as Hugging Face's `tokenizers` writes that of a byte-level BPE. */
export type TokenizerJson = Readonly<Record<string, unknown>>

/** The content of tokenizer.json: `JSON.parse` of the file gives the same object. */
export function tokenizerJson({ options, specialTokens, vocabulary, merges }: TrainedTokens): TokenizerJson {
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: false }
  // The trainer of `rustbpe`, as tiktoken, leaves out what the expression does not match.
  const split = {
    type: 'Split',
    pattern: { Regex: sourceOf(options.pattern) },
    ...(options.like === 'rustbpe'
      ? { behavior: 'Removed', invert: true }
      : { behavior: 'Isolated', invert: false }),
  }
  const steps =
    options.pattern === 'none' ? byteLevel : { type: 'Sequence', pretokenizers: [split, byteLevel] }
  const ids = new Map(vocabulary.map((token, id) => [token, id]))
  const added = specialTokens.map((content) => ({
    ...{ id: ids.get(content), content, single_word: false, lstrip: false, rstrip: false },
    ...{ normalized: false, special: true },
  }))
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added.toSorted((a, b) => a.id! - b.id!),
    normalizer: null,
    pre_tokenizer: steps,
    post_processor: null,
    decoder: { ...byteLevel, use_regex: true },
    model: {
      ...{ type: 'BPE', dropout: null, unk_token: null, continuing_subword_prefix: null },
      ...{ end_of_word_suffix: null, fuse_unk: false, byte_fallback: false, ignore_merges: false },
      vocab: Object.fromEntries(ids),
      merges,
    },
  }
}

/** The content of tokenizer_config.json. */
export function tokenizerConfig({ specialTokens }: TrainedTokens): TokenizerJson {
  const [first] = specialTokens
  return {
    ...(first === undefined ? {} : { eos_token: first }),
    clean_up_tokenization_spaces: false,
    tokenizer_class: 'PreTrainedTokenizerFast',
  }
}

/** tiktoken's file: each byte and merge in base64, and its id, in the order of the ids. */
export function tiktokenFile({ specialTokens, vocabulary, merges }: TrainedTokens): string {
  const ordinary = new Set([...ALPHABET, ...merges.map(([left, right]) => left + right)])
  const special = new Set(specialTokens)
  const lines = vocabulary.flatMap((token, id) =>
    special.has(token) && !ordinary.has(token)
      ? []
      : [`${Buffer.from(bytesOfWritten(token)!).toString('base64')} ${id}\n`],
  )
  return lines.join('')
}
