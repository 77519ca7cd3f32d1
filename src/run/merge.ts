import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CorpusCard } from '../corpus/dataset-card.js'
import { DocumentWriter } from '../corpus/document-writer.js'
import { FILES, FOLDER } from '../corpus/folders.js'
import type { Uploaded } from '../corpus/upload.js'
import { makeFolder, removeAbandoned } from '../files/aside.js'
import { type ChatCounts, sumOfCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import { isTrained } from '../first-layer/datasets/token-mask.js'
import { isLocation } from './objects/location.js'
import { openPlace } from './open-place.js'
import { type InputFile, openInputFile } from './read/input.js'
import type { ShardRecord } from './record.js'
import { beginDataset, NOBODYS } from './write/outputs.js'

/** Bytes of one read: of a bucket, one request. */
const READ_BYTES = 1 << 22

interface MergeOptions {
  readonly out: string
  readonly into: string
  /** Shards of one recipe to `ids`, in the order of their documents. */
  readonly records: readonly ShardRecord[]
  readonly name: string | null
  readonly signal: AbortSignal
  read(bytes: number): void
}

/**
 * Makes one dataset of shards: the same id, and the same files, as an upload of all their documents in this order. It is
 * written aside, and gets its name when it is whole; that of a bucket is made in a folder of this machine, and goes up then.
 *
 * @throws Error if a shard's files are not as its card says; StorageError; the signal's reason
 */
export async function mergeShards(options: MergeOptions): Promise<Uploaded> {
  const { into, signal } = options
  if (!isLocation(into)) return mergeInto(into, options)
  const { putDataset } = await import('./bucket-place.js') // who names no bucket does without
  const staging = await mkdtemp(join(tmpdir(), 'inlet-run-'))
  try {
    const { card } = await mergeInto(staging, options)
    return { card, isNew: await putDataset(staging, into, card.id, signal) }
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function mergeInto(
  folder: string,
  { out, records, name, signal, read }: MergeOptions,
): Promise<Uploaded> {
  const root = join(folder, FOLDER)
  await makeFolder(root)
  await removeAbandoned(root, () => {})
  const shards = await openPlace(out)
  const cards: CorpusCard[] = []
  for (const { output } of records) {
    signal.throwIfAborted()
    const card = await shards.card(output!.slice(FOLDER.length + 1))
    if (card === undefined) throw new Error(`${output} must be a dataset. Given: none is there`)
    cards.push(card as CorpusCard)
  }
  const [first] = cards as [CorpusCard, ...CorpusCard[]]
  const upload = beginDataset(folder, first.dtype)
  const masked = cards.filter((card) => card.mask !== undefined)
  if (masked.length > 0) upload.startMask()
  try {
    const documents = new DocumentWriter(upload)
    for (const card of cards) await append(`${out}/${FOLDER}/${card.id}`, card, documents, signal, read)
    await documents.flush()
    const counts = cards.map(({ num_characters }) => num_characters)
    const characters = counts.includes(null) ? null : counts.reduce((sum, each) => sum! + each!, 0)
    const { mask, turns, trailing } = masked[0] ?? first
    const chatCounts = masked.map(({ chats }) => chats)
    const chats = chatCounts.includes(undefined) ? undefined : sumOfCounts(chatCounts as ChatCounts[])
    const facts = { mask, turns, trailing, chats, name, num_characters: characters }
    return await upload.finish({ ...first, ...NOBODYS, ...facts })
  } catch (error) {
    await upload.abandon()
    throw error
  }
}

/** Appends a dataset's documents. Short ones are many to a read, and nothing is waited for that is done at once. */
async function append(
  folder: string,
  { num_documents, num_tokens, dtype, mask }: CorpusCard,
  written: DocumentWriter,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<void> {
  const { bytes } = ID_DTYPES[dtype]
  const tokens = await openOf(`${folder}/${FILES.tokens}`, num_tokens * bytes)
  const documents = await openOf(`${folder}/${FILES.documents}`, 8 * (num_documents + 1))
  const masks = mask && (await openOf(`${folder}/${FILES.mask}`, Math.ceil(num_tokens / 8)))
  try {
    const most = READ_BYTES / bytes
    const ids = new Int32Array(Math.min(most, num_tokens))
    let place = 0
    let piece = ids.subarray(0, 0) // what is read and not yet appended
    const readPiece = async () => {
      signal.throwIfAborted()
      piece = ids.subarray(0, Math.min(most, num_tokens - place))
      const part = await tokens.read(place * bytes, piece.length * bytes)
      ID_DTYPES[dtype].read(part, piece)
      read(part.length)
      const bits = await masks?.read(place / 8, Math.ceil(piece.length / 8)) // pieces begin at a byte of it
      if (bits !== undefined)
        for (let i = 0; i < piece.length; i++) if (!isTrained(bits, i)) piece[i] = ~piece[i]!
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
    await tokens.check()
  } finally {
    await tokens.close()
    await documents.close()
    await masks?.close()
  }
}

async function openOf(path: string, bytes: number): Promise<InputFile> {
  const file = await openInputFile(path)
  if (file.bytes === bytes) return file
  await file.close()
  throw new Error(`${path} must have ${bytes} bytes, as its card says. Given: ${file.bytes}`)
}

/** The end of each document: the starts, which are followed by the end of the last one, without the first. */
async function* documentEnds(file: InputFile, count: number): AsyncGenerator<BigUint64Array, void, void> {
  const most = READ_BYTES / 8
  for (let first = 1; first <= count; first += most) {
    const bytes = await file.read(8 * first, 8 * Math.min(most, count + 1 - first))
    const { buffer, byteOffset } = bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
    yield new BigUint64Array(buffer as ArrayBuffer, byteOffset, bytes.length / 8)
  }
}
