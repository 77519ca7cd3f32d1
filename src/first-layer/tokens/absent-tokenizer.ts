import { InletError } from '../../errors.js'
import type { Tokenizer } from './tokenizer.js'

/** Stands for the tokenizer of a model that has none: ids are served, every text is refused. */
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
