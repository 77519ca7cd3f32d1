import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { CorpusCard } from '../datasets/dataset-card.js'
import { FILES, FOLDER, readCard } from '../datasets/disk/folders.js'
import { removeAbandoned } from '../datasets/disk/owned-folder.js'
import { readAt } from '../datasets/disk/read-at.js'
import { DocumentWriter } from '../datasets/ingest/document-writer.js'
import type { Uploaded } from '../datasets/upload.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import type { ShardRecord } from './record.js'
import { beginDataset, NOBODYS } from './write/dataset-output.js'

/** Ids, and starts of documents, that are read at a time. */
const PIECE_IDS = 1 << 16
const PIECE_STARTS = 1 << 13

export interface MergeOptions {
  /** The run's folder. */
  readonly out: string
  /** Shards of one recipe to `ids`, in the order of their documents. */
  readonly records: readonly ShardRecord[]
  /** The dataset's name, for people. */
  readonly name: string | null
  readonly signal: AbortSignal
  /** Told of bytes that were read. */
  read(bytes: number): void
}

/**
 * Makes one dataset of shards: the same id, and the same files, as an upload of all their documents in this order. It is
 * written aside, and gets its name when it is whole.
 *
 * @throws Error where a shard's files are not as its card says; the signal's reason
 */
export async function mergeShards({ out, records, name, signal, read }: MergeOptions): Promise<Uploaded> {
  const root = join(out, FOLDER)
  await removeAbandoned(root, () => {})
  const cards: CorpusCard[] = []
  for (const { output } of records) cards.push(await cardOf(root, output))
  const [first] = cards as [CorpusCard, ...CorpusCard[]]
  const upload = beginDataset(out, first.dtype)
  try {
    const documents = new DocumentWriter(upload)
    for (const card of cards) await append(join(root, card.id), card, documents, signal, read)
    await documents.flush()
    const { encoding, allowed_special, document_end, pad_token_id } = first
    const characters = cards.reduce((sum, { num_characters }) => sum + (num_characters ?? 0), 0)
    return await upload.finish({
      ...NOBODYS,
      ...{ name, encoding, allowed_special, document_end, pad_token_id, num_characters: characters },
    })
  } catch (error) {
    await upload.abandon()
    throw error
  }
}

async function cardOf(root: string, output: string): Promise<CorpusCard> {
  const card = await readCard(root, output.slice(FOLDER.length + 1))
  if (card === undefined) throw new Error(`${output} must be a dataset. Given: none is there`)
  return card as CorpusCard
}

/** Appends a dataset's documents. Short ones are many to a read, and nothing is waited for that is done at once. */
async function append(
  folder: string,
  { num_documents, num_tokens, dtype }: CorpusCard,
  written: DocumentWriter,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<void> {
  const tokens = await open(join(folder, FILES.tokens))
  const documents = await open(join(folder, FILES.documents))
  try {
    const { bytes } = ID_DTYPES[dtype]
    const raw = Buffer.allocUnsafeSlow(PIECE_IDS * bytes)
    const ids = new Int32Array(PIECE_IDS)
    let place = 0
    let piece = ids.subarray(0, 0) // what is read and not yet appended
    const readPiece = async () => {
      signal.throwIfAborted()
      piece = ids.subarray(0, Math.min(PIECE_IDS, num_tokens - place))
      const part = raw.subarray(0, piece.length * bytes)
      await readAt(tokens, part, place * bytes)
      ID_DTYPES[dtype].read(part, piece)
      read(part.length)
    }
    for await (const ends of documentEnds(documents, num_documents)) {
      for (const each of ends) {
        const end = Number(each)
        if (end < place || end > num_tokens) throw new Error(`${folder} must have its documents in order.`)
        while (place < end) {
          if (piece.length === 0) await readPiece()
          const part = piece.subarray(0, end - place)
          const wait = written.write(part)
          if (wait !== undefined) await wait
          place += part.length
          piece = piece.subarray(part.length)
        }
        const wait = written.endDocument()
        if (wait !== undefined) await wait
      }
    }
  } finally {
    await tokens.close()
    await documents.close()
  }
}

/** Where each document ends: the starts, which are followed by the end of the last one, without the first. */
async function* documentEnds(file: FileHandle, count: number): AsyncGenerator<BigUint64Array, void, void> {
  for (let first = 1; first <= count; first += PIECE_STARTS) {
    const ends = new BigUint64Array(Math.min(PIECE_STARTS, count + 1 - first))
    await readAt(file, new Uint8Array(ends.buffer), 8 * first)
    yield ends
  }
}
