import { join } from 'node:path'
import { ID_DTYPES, type IdDtypeName } from '../../first-layer/datasets/id-dtypes.js'
import { FOLDER } from '../../service/corpus/folders.js'
import type { DocumentSink } from '../../service/corpus/ingest/document-writer.js'
import { DatasetUpload, type UploadFacts, UploadFolder } from '../../service/corpus/upload.js'
import type { AsideFile } from '../aside.js'
import type { OpenTokenizer } from '../tokenizer.js'

/** What is known of a shard when its last document has come. */
export interface EndedShard {
  /** `part-1-KEY`: a file's name without its ending. */
  readonly name: string
  /** Code points of all texts. */
  readonly characters: number
}

/** An output as its record has it. */
export interface OutputFacts {
  /** Its place below the run's folder; null where the input has no documents, and so no output. */
  readonly output: string | null
  readonly sha256: string | null
  readonly output_bytes: number
  readonly documents: number
  readonly tokens: number
}

/** A shard's output on its way: nothing has a name before all is there. */
export interface ShardOutput extends DocumentSink {
  /** Gives the output its name. */
  commit(ended: EndedShard): Promise<OutputFacts>
  /** Removes what was written. Also called after a commit. */
  abandon(): Promise<void>
}

/** Begins a dataset below a run's output, which is then a service's DATA_DIR. @param dtype of its file of tokens */
export function beginDataset(out: string, dtype: 'uint16' | 'uint32'): DatasetUpload {
  return new DatasetUpload(new UploadFolder(join(out, FOLDER)), dtype)
}

/** Facts that come from no input: a dataset's files depend on its documents alone, not on who wrote them, and when. */
export const NOBODYS: Pick<UploadFacts, 'owner' | 'created'> = { owner: null, created: 0 }

/** A dataset as the service stores an upload of the same documents. */
export class DatasetOutput implements ShardOutput {
  readonly #upload: DatasetUpload

  constructor(
    out: string,
    private readonly made: OpenTokenizer,
  ) {
    this.#upload = beginDataset(out, made.shortestDtype)
  }

  write(ids: Int32Array, ends: Int32Array): Promise<void> {
    return this.#upload.write(ids, ends)
  }

  async commit({ characters }: EndedShard): Promise<OutputFacts> {
    const { encoding, allowedSpecial, documentEnd = null, padTokenId = null } = this.made
    const { card } = await this.#upload.finish({
      ...NOBODYS,
      ...{ name: null, encoding, num_characters: characters },
      allowed_special: this.made.allowsAll ? 'all' : [...allowedSpecial],
      document_end: documentEnd,
      pad_token_id: padTokenId,
    })
    return {
      output: `${FOLDER}/${card.id}`,
      sha256: card.sha256,
      output_bytes: card.size_bytes,
      documents: card.num_documents,
      tokens: card.num_tokens,
    }
  }

  abandon(): Promise<void> {
    return this.#upload.abandon()
  }
}

/** Ids that are gathered for one write. */
const GATHERED_IDS = 1 << 16

/** Writes ids without a header, little-endian. */
export class IdFile {
  readonly #ids = new GatheredIds(GATHERED_IDS, (ids) => this.#write(ids))
  numTokens = 0

  constructor(
    private readonly file: AsideFile,
    private readonly dtype: IdDtypeName,
  ) {}

  write(ids: Int32Array): Promise<void> | undefined {
    this.numTokens += ids.length
    return this.#ids.add(ids)
  }

  /** Writes the last ids. @returns the file's SHA-256 */
  async close(): Promise<string> {
    await this.#ids.end()
    return this.file.close()
  }

  async #write(ids: Int32Array): Promise<void> {
    const bytes = new Uint8Array(ids.length * ID_DTYPES[this.dtype].bytes)
    ID_DTYPES[this.dtype].write(ids, bytes)
    await this.file.write(bytes)
  }
}

/** Few ids at a time, gathered for writes of some size; many go as they are. */
class GatheredIds {
  readonly #ids: Int32Array
  #length = 0

  /**
   * @param most ids that are gathered
   * @param flush writes ids; they may change as soon as its promise has settled
   */
  constructor(
    most: number,
    private readonly flush: (ids: Int32Array) => Promise<void>,
  ) {
    this.#ids = new Int32Array(most)
  }

  /** A promise where ids had to be written before all of these had room. */
  add(ids: Int32Array): Promise<void> | undefined {
    if (this.#length === 0 && 2 * ids.length >= this.#ids.length) return this.flush(ids)
    if (this.#length + ids.length > this.#ids.length) return this.#addInParts(ids)
    this.#ids.set(ids, this.#length)
    this.#length += ids.length
    return undefined
  }

  /** Writes what is gathered. */
  async end(): Promise<void> {
    const ids = this.#ids.subarray(0, this.#length)
    this.#length = 0
    if (ids.length > 0) await this.flush(ids)
  }

  async #addInParts(ids: Int32Array): Promise<void> {
    for (let at = 0; at < ids.length; ) {
      if (this.#length === this.#ids.length) await this.end()
      const part = ids.subarray(at, at + this.#ids.length - this.#length)
      this.#ids.set(part, this.#length)
      this.#length += part.length
      at += part.length
    }
  }
}
