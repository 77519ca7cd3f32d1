import { createHash } from 'node:crypto'
import { type DocumentSink, DocumentWriter, plainId } from '../corpus/document-writer.js'

/** A document's first ids, whose hash decides where it goes: no longer one is held as a whole. */
const HASHED_IDS = 1 << 16

const NO_IDS = new Int32Array(0)

/** Deals documents to a run's output or to its validation, each by the SHA-256 of its ids alone: equal ones go together, and those of a chat. */
export class DocumentSplit implements DocumentSink {
  readonly #train: DocumentWriter
  readonly #validation: DocumentWriter
  /** The ids so far of a document that is not dealt yet, and the writer of one that is and goes on. */
  #head: Int32Array = NO_IDS
  #chosen: DocumentWriter | undefined
  /** The writer of the present chat, by its first document; null: not chosen yet; undefined: there are no chats. */
  #ofChat: DocumentWriter | null | undefined

  /** @param share of documents that go to `validation`, above 0 and below 1 */
  constructor(
    private readonly share: number,
    private readonly train: DocumentSink,
    private readonly validation: DocumentSink,
  ) {
    this.#train = new DocumentWriter(train)
    this.#validation = new DocumentWriter(validation)
  }

  startMask(): void {
    this.train.startMask?.()
    this.validation.startMask?.()
  }

  startChat(): void {
    this.#ofChat = null
  }

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    let start = 0
    for (let i = 0; i <= ends.length; i++) {
      const isEnd = i < ends.length
      let part = ids.subarray(start, isEnd ? ends[i] : ids.length)
      start += part.length
      if (this.#chosen === undefined) {
        if (this.#head.length > 0) part = new Int32Array([...this.#head, ...part])
        const isWaiting = !isEnd && part.length < HASHED_IDS
        this.#head = isWaiting ? part.slice() : NO_IDS
        if (isWaiting) continue
        this.#chosen = this.#ofChat ?? this.#writerOf(part)
        if (this.#ofChat === null) this.#ofChat = this.#chosen
      }
      if (part.length > 0) await this.#chosen.write(part)
      if (!isEnd) continue
      await this.#chosen.endDocument()
      this.#chosen = undefined
    }
  }

  async flush(): Promise<void> {
    await this.#train.flush()
    await this.#validation.flush()
  }

  #writerOf(ids: Int32Array): DocumentWriter {
    const plain = ids.subarray(0, HASHED_IDS).map(plainId) // whatever is trained
    const hash = createHash('sha256').update(plain).digest()
    return hash.readUIntBE(0, 6) / 2 ** 48 < this.share ? this.#validation : this.#train
  }
}
