import { Instances } from './instances.js'
import { loadLibrary } from './library.js'
import type { Encoded, EncodeWork, Result, TextWork } from './messages.js'
import { textOfChunks } from './text-of-chunks.js'

/**
 * Runs the Rust library for one tokenizer.json. Opening it takes up to a second in one turn, and so does copying a long
 * text's ids and offsets: use it in a process that serves no requests.
 */
export class RustHost {
  #instances: Instances | undefined

  /** @throws Error for a file that the library cannot use */
  async open(json: Uint8Array): Promise<undefined> {
    const { library, reason } = await loadLibrary()
    if (library === undefined) throw new Error(reason)
    this.#instances = new Instances(library, Buffer.from(json).toString('utf8'))
  }

  /** Does one work. @param signal aborted: the result is not wanted, and is not made from that of the library */
  async run(work: TextWork, signal: AbortSignal): Promise<Result> {
    if (this.#instances === undefined) throw new Error('No tokenizer is open.')
    if (work.type === 'encode') return this.#encode(this.#instances, work, signal)
    return this.#instances.whole.decode(Array.from(work.ids), false)
  }

  async #encode(
    instances: Instances,
    { chunks, forbidden, addSpecialTokens, ranges }: EncodeWork,
    signal: AbortSignal,
  ): Promise<Encoded> {
    const counted = textOfChunks(chunks)
    const { characters } = counted
    const { ids, offsets, text } = await instances.encode(counted, forbidden, addSpecialTokens, signal)
    if (!ranges) return { ids, ranges: new Int32Array(0), characters }
    const bytes = new Int32Array(2 * ids.length)
    for (const [i, [start, end]] of offsets().entries()) {
      bytes[2 * i] = text.byteOffsets[start!]!
      bytes[2 * i + 1] = text.byteOffsets[end!]!
    }
    return { ids, ranges: bytes, characters }
  }
}
