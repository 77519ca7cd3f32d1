import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type AsideFile, AsideFolder, asideName, BLOCK_BYTES, onDisk, writeSynced } from '../files/aside.js'
import { storageRefusal } from '../files/quota.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import { idOf } from '../first-layer/datasets/recipe.js'
import { type CorpusCard, type FrameFields, LAYOUT } from './dataset-card.js'
import { type DocumentSink, INTAKE_BYTES, MOST_IDS, PIECE_ENDS } from './document-writer.js'
import { CARD_FILE, type DatasetFile, FILES, readCard } from './folders.js'

/** Memory that every upload holds: of ids and of documents' starts, those gathered, those being written and the next ones. */
export const UPLOAD_BYTES = INTAKE_BYTES + 8 * MOST_IDS + 16 * PIECE_ENDS

/** Facts of an upload that its ids do not tell. */
type UploadFacts = FrameFields &
  Pick<CorpusCard, 'name' | 'encoding' | 'allowed_special' | 'num_characters' | 'owner' | 'pad_token_id'> &
  Pick<CorpusCard, 'mask' | 'turns' | 'trailing' | 'chats'> & { readonly created?: number }

export interface Uploaded {
  readonly card: CorpusCard
  readonly isNew: boolean
}

/** Where a service counts uploads before they are written, by their folders' names, and makes them datasets. */
export interface UploadPlace {
  /** @param bytes of the disk that the upload takes in all @throws InletError `insufficient_storage` */
  grant(name: string, bytes: number): Promise<unknown>
  commit(name: string, card: CorpusCard): Promise<{ readonly card: object; readonly isNew: boolean }>
  /** The upload has ended. */
  release(name: string): Promise<unknown>
}

/** Uploads ask for room in steps of so many bytes once they have as many. */
const GRAIN_BYTES = 1 << 20

/**
 * The ids of an upload on their way to files in a new folder, which becomes the dataset's by being renamed: readers see all
 * of it, or nothing. No more is held than what is gathered for the next write. The dataset's id is of its content: of the
 * encoding, the documents' starts and the ids, whatever their element type.
 */
export class DatasetUpload implements DocumentSink {
  readonly #folder: AsideFolder
  readonly #files = new Map<DatasetFile, AsideFile>()
  readonly #written: Partial<Record<DatasetFile, number>> = {}
  #granted = 0
  readonly #idsHash = createHash('sha256')
  #numTokens = 0
  #numDocuments = 0
  #start = 0
  #longest = 0
  #maxTokenId = -1
  #mask: MaskBits | undefined
  /** Lines to be stored: from the first one on that is not its document's own number. Absent: documents have none. */
  #lines: number[] | undefined
  #hasOther = false
  #numOwn = 0
  /** The write that is on its way: the next ids are gathered at the same time. */
  #writing: Promise<void> | undefined

  /** @param root the folder of datasets @param place absent: the disk's end is an error by itself */
  constructor(
    private readonly root: string,
    private readonly dtype: CorpusCard['dtype'],
    private readonly name = asideName(),
    private readonly place?: UploadPlace,
  ) {
    this.#folder = new AsideFolder(root, name)
  }

  startMask(): void {
    this.#mask = new MaskBits()
  }

  endedOn(line: number): void {
    this.#lines ??= []
    this.#hasOther ||= line !== this.#numOwn + 1
    if (this.#hasOther) this.#lines.push(line)
    else this.#numOwn++
  }

  /** @param ids at most {@link MOST_IDS}, which takes well under a millisecond */
  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    if (this.#lines !== undefined)
      await this.#append('lines', bytesOf(Uint32Array.from(this.#lines.splice(0))))
    if (ends.length > 0) await this.#append('documents', this.#startsOf(ends))
    this.#numTokens += ids.length
    if (ids.length === 0) return
    const bits = this.#mask?.take(ids)
    if (bits !== undefined) await this.#append('mask', bits)
    let most = this.#maxTokenId // a private field in the loop takes five times as long
    for (const id of ids) if (id > most) most = id
    this.#maxTokenId = most
    const bytes = new Uint8Array(ids.length * ID_DTYPES[this.dtype].bytes)
    ID_DTYPES[this.dtype].write(ids, bytes)
    this.#idsHash.update(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength))
    await this.#append('tokens', bytes)
  }

  /**
   * Ends the upload, whose last document has ended, and makes it a dataset, all at once.
   * @returns the card of what is there: that of an earlier upload if it had the same content
   * @throws InletError `insufficient_storage`
   */
  async finish(facts: UploadFacts): Promise<Uploaded> {
    await this.#append('tokens', new Uint8Array(0)) // there may be no id
    await this.#append('documents', bytesOf(BigUint64Array.of(BigInt(this.#numTokens))))
    if (this.#mask !== undefined) await this.#append('mask', this.#mask.end())
    await this.#writing
    return this.#told(async () => {
      const card = await this.#card(facts)
      await writeSynced(join(this.#folder.path, CARD_FILE), [Buffer.from(JSON.stringify(card))])
      const uploaded = (await (this.place?.commit(this.name, card) ?? this.#moved(card))) as Uploaded
      await this.abandon() // nothing is left at its path where it has moved
      return uploaded
    })
  }

  async #card(facts: UploadFacts): Promise<CorpusCard> {
    const sha256: Partial<Record<DatasetFile, string>> = {}
    for (const [name, file] of this.#files) sha256[name] = await file.close()
    const { name, encoding, allowed_special, num_characters, owner, pad_token_id } = facts
    const { document_start = null, document_start_literal = null } = facts
    const { document_end, document_end_literal = null } = facts
    const { mask, turns, trailing, chats, created = Math.floor(Date.now() / 1000) } = facts
    const content: unknown[] = [encoding, sha256.documents, this.#idsHash.digest('hex')]
    if (this.#mask !== undefined) content.push(sha256.mask, mask, turns, trailing)
    return {
      ...{ id: `ds_${idOf(content)}`, name, encoding, allowed_special },
      ...{ document_start, document_start_literal, document_end, document_end_literal },
      ...{ num_characters, num_documents: this.#numDocuments, num_tokens: this.#numTokens },
      dtype: this.dtype,
      size_bytes: sumOf(Object.values(this.#written)),
      max_token_id: this.#maxTokenId < 0 ? null : this.#maxTokenId,
      sha256: sha256.tokens!,
      ...{ created, layout: LAYOUT, owner, longest_document: this.#longest, pad_token_id },
      ...(this.#mask && { mask, turns, trailing, chats }),
    }
  }

  async #moved(card: CorpusCard): Promise<Uploaded> {
    if (await this.#folder.moveTo(card.id)) return { card, isNew: true }
    const there = (await readCard(this.root, card.id)) as CorpusCard | undefined
    return { card: there ?? card, isNew: false }
  }

  async abandon(): Promise<void> {
    await this.#writing?.catch(() => {}) // the caller that waited for it has its error
    await this.#folder.remove()
    await this.place?.release(this.name)
  }

  /** The starts of documents that end there, little-endian in 64 bits. */
  #startsOf(ends: Int32Array): Uint8Array {
    const starts = new BigUint64Array(ends.length)
    for (const [i, end] of ends.entries()) {
      starts[i] = BigInt(this.#start)
      this.#longest = Math.max(this.#longest, this.#numTokens + end - this.#start)
      this.#start = this.#numTokens + end
    }
    this.#numDocuments += ends.length
    return bytesOf(starts)
  }

  /** Begins a write when the one before has ended, and does not wait for its own end. */
  async #append(file: DatasetFile, bytes: Uint8Array): Promise<void> {
    await this.#writing
    this.#writing = this.#told(async () => {
      this.#written[file] = (this.#written[file] ?? 0) + bytes.length
      await this.#grant()
      const open = this.#files.get(file) ?? (await this.#folder.open(FILES[file]))
      this.#files.set(file, open)
      await open.write(bytes)
    })
    this.#writing.catch(() => {}) // told by the next write, or the end
  }

  async #grant(): Promise<void> {
    const bytes = sumOf(Object.values(this.#written).map(onDisk)) + 2 * BLOCK_BYTES // with its card and its folder
    if (bytes <= this.#granted) return
    const grain = bytes > GRAIN_BYTES ? GRAIN_BYTES : 1
    const granted = Math.ceil(bytes / grain) * grain
    await this.place?.grant(this.name, granted)
    this.#granted = granted
  }

  async #told<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw storageRefusal(error, sumOf(Object.values(this.#written)))
    }
  }
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0)
}

function bytesOf({ buffer }: Uint32Array | BigUint64Array): Uint8Array {
  return new Uint8Array(buffer)
}

/** The masks of a dataset's documents, one behind the other, a bit a token. */
export class MaskBits {
  /** The last byte, which is not full. */
  #open = 0
  #numBits = 0

  /** Takes the bits of ids, which it leaves as they are without them. @returns the bytes that are full */
  take(ids: Int32Array): Uint8Array {
    const bytes = new Uint8Array(Math.floor((this.#numBits + ids.length) / 8))
    let at = 0
    for (let i = 0; i < ids.length; i++) {
      if (ids[i] < 0) ids[i] = ~ids[i]
      else this.#open |= 1 << this.#numBits
      if (++this.#numBits < 8) continue
      bytes[at++] = this.#open
      this.#open = this.#numBits = 0
    }
    return bytes
  }

  end(): Uint8Array {
    return this.#numBits === 0 ? new Uint8Array(0) : Uint8Array.of(this.#open)
  }
}
