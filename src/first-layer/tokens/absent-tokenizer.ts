import { InletError } from '../errors.js'
import type { Tokenizer } from './tokenizer.js'

/** The tokenizer of a model without one: every text is refused, ids are served. */
export function absentTokenizer(reason: string): Tokenizer {
  const refuse = (): never => {
    const message = `The model takes \`input_ids\` only, no text: ${reason}`
    throw new InletError('tokenizer_unavailable', message, 'model')
  }
  return {
    encoding: undefined,
    unavailable: reason,
    vocabSize: 0,
    specialTokens: new Map(),
    endOfText: undefined,
    isLossless: false,
    vocabulary: undefined,
    get strings() {
      return refuse()
    },
    stream: refuse,
    tokenText: refuse,
    decode: refuse,
  }
}
