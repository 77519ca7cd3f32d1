import { join } from 'node:path'
import type { CorpusCard } from '../corpus/dataset-card.js'
import { CARD_FILE, type DatasetFile, FILES, FOLDER, parseCard } from '../corpus/folders.js'
import type { DatasetUpload, Uploaded } from '../corpus/upload.js'
import { makeFolder, removeAbandoned } from '../files/aside.js'
import { type ChatCounts, sumOfCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { ID_DTYPES } from '../first-layer/datasets/id-dtypes.js'
import { isTrained } from '../first-layer/datasets/token-mask.js'
import { isLocation } from './objects/location.js'
import { inStaging, openPlace } from './place.js'
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
  return inStaging(async (staging) => {
    const { card } = await mergeInto(staging, options)
    const place = await openPlace(into)
    const path = `${FOLDER}/${card.id}`
    const isNew = !(await place.has(`${path}/${CARD_FILE}`))
    if (isNew) await place.publish(staging, path, signal)
    return { card, isNew }
  })
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
    const card = await shards.get(`${output}/${CARD_FILE}`)
    if (card === undefined) throw new Error(`${output} must be a dataset. Given: none is there`)
    cards.push(parseCard(card.toString(), output!) as CorpusCard)
  }
  const [first] = cards as [CorpusCard, ...CorpusCard[]]
  const upload = beginDataset(folder, first.dtype)
  const masked = cards.filter((card) => card.mask !== undefined)
  if (masked.length > 0) upload.startMask()
  try {
    for (const card of cards) await append(`${out}/${FOLDER}/${card.id}`, card, upload, signal, read)
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

/** Appends a dataset's documents. */
async function append(
  folder: string,
  { num_documents, num_tokens, dtype, mask }: CorpusCard,
  upload: DatasetUpload,
  signal: AbortSignal,
  read: (bytes: number) => void,
): Promise<void> {
  const { bytes } = ID_DTYPES[dtype]
  const wholeOf = async (name: DatasetFile, length: number) => {
    await using file = await openOf(`${folder}/${FILES[name]}`, length)
    return await file.read(0, length)
  }
  const starts = await wholeOf('documents', 8 * (num_documents + 1))
  const bits = mask && (await wholeOf('mask', Math.ceil(num_tokens / 8)))
  await using tokens = await openOf(`${folder}/${FILES.tokens}`, num_tokens * bytes)
  const piece = new Int32Array(Math.min(READ_BYTES / bytes, num_tokens))
  let [place, document, last] = [0, 0, 0]
  do {
    signal.throwIfAborted()
    const ids = piece.subarray(0, num_tokens - place)
    const part = await tokens.read(place * bytes, ids.length * bytes)
    ID_DTYPES[dtype].read(part, ids)
    read(part.length)
    if (bits !== undefined)
      for (let i = 0; i < ids.length; i++) if (!isTrained(bits, place + i)) ids[i] = ~ids[i]!
    const ends: number[] = []
    for (; document < num_documents; document++) {
      const end = Number(starts.readBigUInt64LE(8 * (document + 1)))
      if (end < last || end > num_tokens) throw new Error(`${folder} must have its documents in order.`)
      if (end > place + ids.length) break
      last = end
      ends.push(end - place)
    }
    await upload.write(ids, Int32Array.from(ends))
    place += ids.length
  } while (place < num_tokens)
  await tokens.check()
}

async function openOf(path: string, bytes: number): Promise<InputFile> {
  const file = await openInputFile(path)
  if (file.bytes === bytes) return file
  await file[Symbol.asyncDispose]()
  throw new Error(`${path} must have ${bytes} bytes, as its card says. Given: ${file.bytes}`)
}
