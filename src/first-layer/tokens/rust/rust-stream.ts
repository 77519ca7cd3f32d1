import type { Steps } from '../../steps.js'
import { TokenBuffer } from '../token-buffer.js'
import type { TokenStream } from '../token-stream.js'
import type { Encoded } from './messages.js'

/** Most ids of one advance. */
const STEP_IDS = 16_384

/** One document for the library: its bytes are held until the last has come, and encoded in the library’s process. */
export class RustStream implements TokenStream {
  #chunks: Uint8Array[] = []
  #ended = false
  #encoded: Encoded | undefined
  #given = 0

  constructor(
    private readonly encode: (chunks: readonly Uint8Array[]) => Steps<Encoded>,
    private readonly ranges: boolean,
  ) {}

  write(utf8: Uint8Array): void {
    this.#chunks.push(new Uint8Array(utf8))
  }

  end(): void {
    this.#ended = true
  }

  advance(ids: TokenBuffer): boolean | Steps<boolean> {
    if (!this.#ended) return false
    return this.#encoded === undefined ? this.#start(ids) : this.#give(ids, this.#encoded)
  }

  *#start(ids: TokenBuffer): Steps<boolean> {
    const chunks = this.#chunks
    this.#chunks = []
    this.#encoded = yield* this.encode(chunks)
    ids.characters += this.#encoded.characters
    return this.#encoded.ids.length > 0
  }

  #give(ids: TokenBuffer, encoded: Encoded): boolean {
    const start = this.#given
    const end = Math.min(encoded.ids.length, start + STEP_IDS)
    ids.append(encoded.ids.subarray(start, end))
    if (this.ranges) {
      ids.ranges ??= new TokenBuffer()
      ids.ranges.append(encoded.ranges.subarray(2 * start, 2 * end))
    }
    this.#given = end
    return end < encoded.ids.length
  }
}
