import { join } from 'node:path'
import { inputEmbeddings } from '../../first-layer/input-embedding.js'
import { Documents } from '../../first-layer/windows/documents.js'
import { drive, driveAsync, drivenBlocks, UNBOUNDED } from '../../first-layer/work/drive.js'
import { InletError } from '../../service/answer/error-table.js'
import { placeOfAtLeast } from '../../service/request/documents/ids-below.js'
import { Aside } from '../aside.js'
import type { OpenModel } from '../open-model.js'
import type { EndedShard, OutputFacts, ShardOutput } from './output.js'

const PART = 'tensors'

/**
 * The tensors that `inlet embed` makes of the documents, in one file. The ids of a shard are held until its last document has
 * come, 4 bytes each: windows are counted before the first one is made. Rows flow.
 */
export class EmbeddingsOutput implements ShardOutput {
  readonly #documents = new Documents()
  readonly #aside: Aside

  constructor(
    private readonly out: string,
    private readonly open: OpenModel,
  ) {
    this.#aside = new Aside(out)
  }

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    let start = 0
    for (const end of ends) {
      this.#documents.ids.append(ids.subarray(start, end))
      this.#documents.endDocument()
      start = end
    }
    this.#documents.ids.append(ids.subarray(start))
  }

  async commit({ name, characters }: EndedShard): Promise<OutputFacts> {
    const documents = this.#documents
    documents.ids.characters = characters
    await this.#checkRows()
    const { model, plan, format } = this.open
    const answer = await drive(UNBOUNDED, inputEmbeddings(model, documents, plan))
    for (const { prepare } of answer.tensors) if (prepare !== undefined) await drive(UNBOUNDED, prepare())
    const { body } = format.encode(answer, { encodingFormat: 'float' })
    const file = await this.#aside.open(PART)
    try {
      for await (const block of drivenBlocks(UNBOUNDED, body)) await file.write(block)
      const sha256 = await file.close()
      const output = `${name}.${format.name}`
      await this.#aside.move(PART, join(this.out, output))
      return {
        ...{ output, sha256, output_bytes: file.bytes },
        ...{ documents: documents.count, tokens: documents.totalTokens },
      }
    } finally {
      await file.abandon()
    }
  }

  abandon(): Promise<void> {
    return this.#aside.remove()
  }

  /** Refuses a token without a row: the table may be smaller than the vocabulary. */
  async #checkRows(): Promise<void> {
    const { ids } = this.#documents
    const { vocabSize } = this.open
    const place = await driveAsync(placeOfAtLeast(ids, vocabSize))
    if (place < 0) return
    const document = this.#documents.documentAt(place)
    const message = `Document ${document} must give ids below \`vocab_size\` ${vocabSize}. Given: ${ids.at(place)}`
    throw new InletError('token_out_of_range', message)
  }
}
