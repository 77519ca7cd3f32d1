import { Instances } from './instances.js'
import { loadLibrary } from './library.js'
import type { Encoded, EncodeWork, RustWork } from './messages.js'
import { textOfChunks } from './text-of-chunks.js'

/** Bytes that the library and its answers hold for each byte of a text, unseen by the garbage collector. */
const HELD_BYTES = 300
/** Longer texts, in bytes, are encoded one at a time, and more ids decoded: together they would need too much memory. */
const SHORT_TEXT = 1 << 16

/** A file that the library refuses. */
export class RefusedFile extends Error {}

/**
 * Runs the Rust library: opens tokenizers, encodes and decodes. Opening a file takes up to a second in one turn, and
 * so does copying a long text's ids and offsets: use it in a process that serves no requests.
 */
export class RustHost {
  readonly #open = new Map<string, Instances>()
  #lastLong: Promise<unknown> = Promise.resolve()

  /** @param letGo called with the bytes that a long text and its answer held */
  constructor(private readonly letGo: (bytes: number) => void = () => {}) {}

  /**
   * Does one work.
   *
   * @param signal aborted: a work that has not begun yet is dropped, and fails
   * @throws RefusedFile for a file that the library cannot use
   */
  async run(work: RustWork, signal?: AbortSignal): Promise<Encoded | string | undefined> {
    if (work.type === 'open') return this.#openFile(work.key, work.json)
    if (work.type === 'encode') {
      const bytes = work.chunks.reduce((sum, { length }) => sum + length, 0)
      return this.#inTurn(bytes, () => this.#encode(work), signal)
    }
    if (work.type === 'decode') {
      const { key, ids } = work
      return this.#inTurn(ids.length, () => this.#instances(key).whole.decode(Array.from(ids), false), signal)
    }
    this.#open.delete(work.key)
    return undefined
  }

  async #openFile(key: string, json: Uint8Array): Promise<undefined> {
    if (this.#open.has(key)) return
    const { library, reason } = await loadLibrary()
    if (library === undefined) throw new RefusedFile(reason)
    try {
      this.#open.set(key, new Instances(library, Buffer.from(json).toString('utf8')))
    } catch (error) {
      throw new RefusedFile((error as Error).message.slice(0, 300).toWellFormed())
    }
  }

  /** Runs a short work at once, a long one behind those that came before it. @param bytes of text, or ids */
  #inTurn<T>(bytes: number, run: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (bytes <= SHORT_TEXT) return run()
    const done = this.#lastLong.then(() => {
      signal?.throwIfAborted()
      return run()
    })
    this.#lastLong = done.catch(() => {}).then(() => this.letGo(HELD_BYTES * bytes))
    return done
  }

  async #encode({ key, chunks, forbidden, addSpecialTokens, ranges }: EncodeWork): Promise<Encoded> {
    const { text, byteOffsets, characters } = textOfChunks(chunks)
    const tokenizer = this.#instances(key).without(forbidden, text)
    const encoding = await tokenizer.encode(text, null, { addSpecialTokens })
    const ids = Int32Array.from(encoding.getIds())
    if (!ranges) return { ids, ranges: new Int32Array(0), characters }
    const offsets = encoding.getOffsets()
    const bytes = new Int32Array(2 * ids.length)
    for (let i = 0; i < ids.length; i++) {
      bytes[2 * i] = byteOffsets[offsets[i]![0]!]!
      bytes[2 * i + 1] = byteOffsets[offsets[i]![1]!]!
    }
    return { ids, ranges: bytes, characters }
  }

  #instances(key: string): Instances {
    const instances = this.#open.get(key)
    if (instances === undefined) throw new Error(`No tokenizer is open under ${key}.`)
    return instances
  }
}
