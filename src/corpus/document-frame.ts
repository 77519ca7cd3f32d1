import { InletError, invalidField, shown } from '../first-layer/errors.js'
import { nameOf, type Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { FrameFields } from './dataset-card.js'
import type { DocumentFrame } from './document-writer.js'

/** Names that stand in place of an id: `<|endoftext|>` where that is a token, the tokenizer's own eos or bos. */
export const MARKS = ['endoftext', 'eos', 'bos'] as const
export type DocumentMark = number | (typeof MARKS)[number]

/**
 * The ids around each document of an upload: `endoftext` in `gpt2` → 50256; undefined: none.
 * @param tokenizer undefined: the upload has ids alone
 * @throws InletError `invalid_request` for a name that the tokenizer has no token for; `token_out_of_range` for
 *   an id that the tokenizer does not have
 */
export function documentFrame(
  asked: Partial<Record<'document_start' | 'document_end', DocumentMark | undefined>>,
  tokenizer: Tokenizer | undefined,
): DocumentFrame {
  const name = tokenizer === undefined ? 'ids alone' : nameOf(tokenizer)
  const idOf = (field: 'document_start' | 'document_end') => {
    const given = asked[field]
    if (typeof given === 'string') {
      const { marks = {}, endOfText } = tokenizer ?? {}
      const id = marks[given] ?? (given === 'endoftext' ? endOfText : undefined)
      if (id !== undefined) return id
      throw invalidField(field, `must be an id: there is no ${given} for ${name}`, given)
    }
    if (given === undefined || tokenizer === undefined || given < tokenizer.vocabSize) return given
    const rule = `must be below ${tokenizer.vocabSize}, the number of ids of ${name}`
    throw new InletError('token_out_of_range', `\`${field}\` ${rule}. Given: ${shown(given)}`, field)
  }
  return { documentStart: idOf('document_start'), documentEnd: idOf('document_end') }
}

/** The same as a dataset's card has it: each id with its literal, as `50256`, `<|endoftext|>`. */
export function frameFields(
  { documentStart, documentEnd }: DocumentFrame,
  tokenizer?: Tokenizer,
): FrameFields {
  const literal = (id: number | undefined) => {
    if (id === undefined || tokenizer === undefined || tokenizer.unavailable !== undefined) return null
    const special = [...tokenizer.specialTokens].find(([, each]) => each === id)
    return special?.[0] ?? tokenizer.tokenText(id) ?? null
  }
  return {
    document_start: documentStart ?? null,
    document_start_literal: literal(documentStart),
    document_end: documentEnd ?? null,
    document_end_literal: literal(documentEnd),
  }
}
