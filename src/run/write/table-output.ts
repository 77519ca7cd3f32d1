import { join } from 'node:path'
import { Aside, type AsideFile } from '../aside.js'
import type { EndedShard, OutputFacts, ShardOutput } from './output.js'

/** Ids, or documents, of a batch: it ends with the document that reaches one of them. */
const BATCH_IDS = 1 << 20
const BATCH_DOCUMENTS = 1 << 16
/** Ids of the longest document: its bytes are counted in 31 bits. */
const MAX_DOCUMENT_IDS = 2 ** 29 - 1

const PART = 'table'

/** Documents of ids as the bytes of a table. */
export interface IdsEncoder {
  /** Of the file's name. */
  readonly ending: string
  begin(): Uint8Array
  /** @param lengths of the documents, whose ids are one behind the other. The bytes are used before the next batch */
  batch(ids: Int32Array, lengths: Int32Array): readonly (Uint8Array | Int32Array)[]
  end(): Uint8Array
}

/**
 * A table with a row for each document. Memory: a batch, which is as long as its longest document. Batches depend on the documents
 * alone.
 */
export class TableOutput implements ShardOutput {
  #ids = new Int32Array(BATCH_IDS)
  #numIds = 0
  /** Where the present document begins. */
  #start = 0
  readonly #lengths = new Int32Array(BATCH_DOCUMENTS)
  #numLengths = 0
  readonly #sums = { documents: 0, tokens: 0 }

  private constructor(
    private readonly out: string,
    private readonly aside: Aside,
    private readonly file: AsideFile,
    private readonly encoder: IdsEncoder,
  ) {}

  static async begin(out: string, encoder: IdsEncoder): Promise<TableOutput> {
    const aside = new Aside(out)
    const file = await aside.open(PART)
    await file.write(encoder.begin())
    return new TableOutput(out, aside, file, encoder)
  }

  /** @throws Error for a document that is too long for a row */
  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    let start = 0
    for (const end of ends) {
      this.#append(ids.subarray(start, end))
      this.#lengths[this.#numLengths++] = this.#numIds - this.#start
      this.#start = this.#numIds
      if (this.#numIds >= BATCH_IDS || this.#numLengths === BATCH_DOCUMENTS) await this.#flush()
      start = end
    }
    this.#append(ids.subarray(start))
  }

  #append(ids: Int32Array): void {
    const end = this.#numIds + ids.length
    if (end - this.#start > MAX_DOCUMENT_IDS)
      throw new Error(
        `A document must have at most ${MAX_DOCUMENT_IDS} ids to be a row. Given: ${end - this.#start} and more`,
      )
    if (end > this.#ids.length) {
      const longer = new Int32Array(Math.max(end, 2 * this.#ids.length))
      longer.set(this.#ids.subarray(0, this.#numIds))
      this.#ids = longer
    }
    this.#ids.set(ids, this.#numIds)
    this.#numIds = end
  }

  async commit({ name }: EndedShard): Promise<OutputFacts> {
    if (this.#numLengths > 0) await this.#flush()
    await this.file.write(this.encoder.end())
    const sha256 = await this.file.close()
    const output = `${name}.${this.encoder.ending}`
    await this.aside.move(PART, join(this.out, output))
    return { output, sha256, output_bytes: this.file.bytes, ...this.#sums }
  }

  async abandon(): Promise<void> {
    await this.file.abandon()
    await this.aside.remove()
  }

  async #flush(): Promise<void> {
    const ids = this.#ids.subarray(0, this.#numIds)
    const parts = this.encoder.batch(ids, this.#lengths.subarray(0, this.#numLengths))
    for (const { buffer, byteOffset, byteLength } of parts)
      if (byteLength > 0) await this.file.write(new Uint8Array(buffer, byteOffset, byteLength))
    this.#sums.documents += this.#numLengths
    this.#sums.tokens += this.#numIds
    this.#numIds = this.#start = this.#numLengths = 0
  }
}
