import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import { STEP_IDS } from '../../first-layer/tokens/tokenize.js'
import type { Tokenizer, TokenStream } from '../../first-layer/tokens/tokenizer.js'

/**
 * A tokenizer whose ids are the bytes of a text: with it the readers of `inlet run` pass texts on as they are, whatever
 * form of file they come in.
 */
export const BYTES: Tokenizer = {
  encoding: undefined,
  vocabSize: 256,
  specialTokens: new Map(),
  endOfText: undefined,
  isLossless: true,
  vocabulary: undefined,
  stream: () => new ByteStream(),
  tokenText: () => null,
}

class ByteStream implements TokenStream {
  readonly #waiting: Uint8Array[] = []

  write(utf8: Uint8Array): void {
    this.#waiting.push(utf8)
  }

  end(): undefined {}

  advance(ids: TokenBuffer): boolean {
    const [part] = this.#waiting
    if (part === undefined) return false
    ids.append(Int32Array.from(part.subarray(0, STEP_IDS)))
    if (part.length <= STEP_IDS) this.#waiting.shift()
    else this.#waiting[0] = part.subarray(STEP_IDS)
    return this.#waiting.length > 0
  }
}
