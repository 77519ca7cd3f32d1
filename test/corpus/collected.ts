import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import {
  type DocumentFrame,
  type DocumentSink,
  DocumentWriter,
  type Pace,
} from '../../src/corpus/document-writer.js'
import type { Tokenizer } from '../../src/first-layer/tokens/tokenizer.js'
import { tokenizeText } from '../first-layer/tokens/tokenize-text.js'

/** A sink that keeps all documents. A slow one reads the ids late, and must not get the next ones before. */
export class Collected implements DocumentSink {
  readonly documents: number[][] = []
  /** Ids of the longest piece. */
  longest = 0
  #present: number[] = []
  #isBusy = false

  constructor(private readonly isSlow = false) {}

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    if (this.#isBusy) throw new Error('the sink still works on the ids before')
    this.#isBusy = true
    if (this.isSlow) await setImmediate()
    let start = 0
    for (const end of ends) {
      this.documents.push(this.#present.concat(Array.from(ids.subarray(start, end))))
      this.#present = []
      start = end
    }
    for (const id of ids.subarray(start)) this.#present.push(id)
    this.longest = Math.max(this.longest, ids.length)
    this.#isBusy = false
  }
}

/** Counts the pauses of an intake, and the most bytes that it holds at one. */
export class Pauses {
  count = 0
  most = 0
  readonly pace: Pace = (bytes) => {
    this.count++
    this.most = Math.max(this.most, bytes)
    return this.count % 3 === 0 ? setImmediate() : undefined
  }

  static readonly nobodyWaits: Pace = async () => {
    throw new Error('nobody waits')
  }
}

/** A sink that counts. */
export class Counted implements DocumentSink {
  ids = 0
  documents = 0

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    this.ids += ids.length
    this.documents += ends.length
  }
}

/** The chunks of a body, cut at these places, again and again. */
export async function* cut(body: string | Buffer, sizes: readonly number[] = [1 << 16]) {
  const bytes = Buffer.from(body)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = Math.max(1, sizes[i % sizes.length]!)
    yield Buffer.from(bytes.subarray(at, at + size)) // a copy, so that nothing behind it can be read
    at += size
  }
}

/** Sizes of chunks: within a character, a line, and whole. */
export const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 20_000 })), {
  minLength: 1,
  maxLength: 6,
})

/** The ids and characters of a text by itself. */
export async function alone(tokenizer: Tokenizer, text: string, allowedSpecial: ReadonlySet<string>) {
  const ids = tokenizeText(tokenizer, text, { allowedSpecial })
  return { ids: [...ids], characters: ids.characters }
}

/** Reads a body, and passes all of its documents on. */
export async function intake<Upload, Chats>(
  ingest: (chunks: AsyncIterable<Uint8Array>, upload: Upload, writer: DocumentWriter) => Promise<Chats>,
  chunks: AsyncIterable<Uint8Array>,
  upload: Upload & DocumentFrame,
  sink: DocumentSink,
  pace?: Pace,
) {
  const writer = new DocumentWriter(sink, upload, pace)
  const chats = await ingest(chunks, upload, writer)
  await writer.flush()
  return { numCharacters: writer.ids.characters, chats }
}
