import { ID_DTYPES, type IdDtypeName } from '../first-layer/datasets/id-dtypes.js'
import { InletError } from '../first-layer/errors.js'
import {
  ANY_ID,
  type DocumentFrame,
  type DocumentSink,
  DocumentWriter,
  idOutOfRange,
  type Pace,
  placeOfWrong,
} from './document-writer.js'
import { type IngestFacts, type Intake, ingest } from './ingest.js'

export interface IdsUpload extends DocumentFrame {
  readonly dtype: IdDtypeName
  /** A document ends after each of these ids, which belongs to it; undefined: all ids are one document. */
  readonly separatorId?: number | undefined
  /** Ids must be below this; undefined: below 2^31. */
  readonly idLimit?: number | undefined
}

/** Ids read at a time: 64 KiB, of uint16 32. */
const PIECE_IDS = 16_384

/**
 * Headers of files of ids, which would be taken for ids. llm.c's: 256 int32, of which the first two are magic and
 * version (`dev/data/data_common.py`).
 */
const LLM_C = 'a header of llm.c: send what is behind its 1,024 bytes, `tail -c +1025 FILE`'
const HEADERS = [
  {
    name: 'a header of npy: send the array’s bytes alone, as `array.tofile(FILE)` writes them',
    bytes: Buffer.from('\x93NUMPY', 'latin1'),
  },
  { name: LLM_C, bytes: Buffer.from(Int32Array.of(20240520, 1).buffer) },
  { name: LLM_C, bytes: Buffer.from(Int32Array.of(20240801, 7).buffer) },
]
const HEADER_BYTES = 8

/**
 * Documents of little-endian ids without a header. With `separatorId` 0, `1 0 2 0 3` → `1 0`, `2 0`, `3`;
 * behind a separator that ends the body no document begins.
 * @param chunks cut anywhere, even within an id
 * @throws InletError `empty_input`, `token_out_of_range` with the id's place, `invalid_request` where the
 *   body begins with a known header or ends within an id
 */
export async function ingestIds(
  chunks: AsyncIterable<Uint8Array>,
  upload: IdsUpload,
  sink: DocumentSink,
  pace?: Pace,
): Promise<IngestFacts> {
  return ingest(chunks, new IdDocuments(upload, new DocumentWriter(sink, upload, pace)))
}

class IdDocuments implements Intake {
  readonly #ids = new Int32Array(PIECE_IDS)
  /** The first bytes of an id that the next chunk continues. */
  readonly #cut: Buffer
  #cutLength = 0
  readonly #start = Buffer.alloc(HEADER_BYTES)
  #startLength = 0
  #place = 0
  #isOpen = false

  constructor(
    private readonly upload: IdsUpload,
    readonly writer: DocumentWriter,
  ) {
    this.#cut = Buffer.allocUnsafeSlow(ID_DTYPES[upload.dtype].bytes)
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.#startLength < HEADER_BYTES) this.#checkStart(bytes)
    const { bytes: size } = ID_DTYPES[this.upload.dtype]
    let at = 0
    if (this.#cutLength > 0) {
      at = bytes.copy(this.#cut, this.#cutLength)
      this.#cutLength += at
      if (this.#cutLength < size) return
      this.#cutLength = 0
      await this.#take(this.#cut, 1)
    }
    const whole = Math.floor((bytes.length - at) / size)
    for (let done = 0; done < whole; done += PIECE_IDS) {
      const wait = this.writer.pause()
      if (wait !== undefined) await wait
      await this.#take(bytes.subarray(at + done * size), Math.min(PIECE_IDS, whole - done))
    }
    this.#cutLength = bytes.copy(this.#cut, 0, at + whole * size)
  }

  #checkStart(bytes: Buffer): void {
    this.#startLength += bytes.copy(this.#start, this.#startLength)
    const header = HEADERS.find((each) => this.#start.subarray(0, each.bytes.length).equals(each.bytes))
    if (header === undefined) return
    throw new InletError(
      'invalid_request',
      `The body must be ids alone, without a header. Given: ${header.name}`,
    )
  }

  async end(): Promise<void> {
    const { dtype } = this.upload
    const { bytes } = ID_DTYPES[dtype]
    if (this.#cutLength > 0) {
      const message = `The body must be a multiple of ${bytes} bytes, the length of \`dtype\` ${dtype}.`
      const given = this.#place * bytes + this.#cutLength
      throw new InletError('invalid_request', `${message} Given: ${given} bytes`, 'dtype')
    }
    if (this.#place === 0)
      throw new InletError('empty_input', '`input_ids` must not be empty. Given: an empty body', 'input_ids')
    if (this.#isOpen) await this.writer.endDocument()
  }

  async #take(bytes: Buffer, count: number): Promise<void> {
    const { dtype, separatorId = -1, idLimit = ANY_ID } = this.upload
    const ids = this.#ids.subarray(0, count)
    ID_DTYPES[dtype].read(bytes, ids)
    const wrong = placeOfWrong(ids, idLimit)
    if (wrong >= 0) {
      const id = dtype === 'uint32' ? ids[wrong] >>> 0 : ids[wrong]
      throw idOutOfRange(this.#place + wrong, id, idLimit)
    }
    this.#place += count
    let start = 0
    for (let at = ids.indexOf(separatorId); at >= 0; at = ids.indexOf(separatorId, start)) {
      const written = this.writer.write(ids.subarray(start, at + 1))
      if (written !== undefined) await written
      const ended = this.writer.endDocument()
      if (ended !== undefined) await ended
      start = at + 1
    }
    this.#isOpen = start < count
    if (this.#isOpen) await this.writer.write(ids.subarray(start))
  }
}
