import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { WorkQueue } from '../first-layer/work/wait.js'
import { CARD_FILE, FOLDER as DATASETS, parseCard } from '../service/corpus/folders.js'
import { type ObjectBody, type ObjectStore, parseLocation } from './objects/location.js'
import { ObjectWriter } from './objects/object-file.js'
import { storeOf } from './objects/s3-store.js'
import { FOLDER, type RunPlace, recordText, type ShardRecord, type ShardsPlace } from './record.js'

/** Bytes of one read of a file that goes up. */
const READ_BYTES = 1 << 20
/** Records that are read at the same time. */
const READS = 16

/**
 * A bucket, with the keys that the files of a folder would have. Outputs are made in a folder of this machine, one a shard,
 * and go up when they are whole.
 *
 * @param out `s3://BUCKET/PREFIX`
 * @param staging a folder of this run alone
 */
export async function bucketPlace(out: string, staging: string): Promise<RunPlace> {
  const { store, under } = await openBucket(out)
  const recordKey = (input: string, key: string) => `${under}${FOLDER}/${input}/${key}.json`
  return {
    async begin() {
      const folder = await mkdtemp(join(staging, 'shard-'))
      await mkdir(join(folder, DATASETS))
      return folder
    },
    hasRecords: (input) => hasAny(store, `${under}${FOLDER}/${input}/`),
    readRecord: (input, key) => readRecord(store, under, recordKey(input, key)),
    async finish(folder, record) {
      if (record.output !== null) await putAll(store, join(folder, record.output), under + record.output)
      await store.put(recordKey(record.input, record.key), bodyOf(recordText(record)))
    },
    end: (folder) => rm(folder, { recursive: true, force: true }),
  }
}

/** A run's bucket, to be read again. */
export async function bucketShards(out: string): Promise<ShardsPlace> {
  const { store, under } = await openBucket(out)
  return {
    async records(signal) {
      const reads = new WorkQueue(READS)
      const found: Promise<ShardRecord | undefined>[] = []
      for await (const { key } of store.list(`${under}${FOLDER}/`)) {
        signal.throwIfAborted()
        if (!key.endsWith('.json')) continue
        const record = reads.run(() => readRecord(store, under, key))
        record.catch(() => {}) // told when all are waited for
        found.push(record)
      }
      return (await Promise.all(found)).filter((record) => record !== undefined)
    },
    async card(id) {
      const key = `${under}${DATASETS}/${id}/${CARD_FILE}`
      const bytes = await store.get(key)
      return bytes && parseCard(bytes.toString(), key)
    },
  }
}

/**
 * Stores a dataset that is whole in a folder, the card last.
 *
 * @param folder that has it below its `datasets/`
 * @returns whether it was not there
 */
export async function putDataset(
  folder: string,
  out: string,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, under } = await openBucket(out)
  const path = `${DATASETS}/${id}`
  if ((await store.get(`${under}${path}/${CARD_FILE}`)) !== undefined) return false
  await putAll(store, join(folder, path), under + path, signal)
  return true
}

async function openBucket(out: string): Promise<{ readonly store: ObjectStore; readonly under: string }> {
  const location = parseLocation(out)
  if (location === undefined) throw new Error(`${out} names no bucket.`) // the command has checked it
  return { store: storeOf(location), under: location.key === '' ? '' : `${location.key}/` }
}

/** The record of a finished shard whose output is there. */
async function readRecord(store: ObjectStore, under: string, key: string): Promise<ShardRecord | undefined> {
  const bytes = await store.get(key)
  if (bytes === undefined) return undefined
  const record: ShardRecord = JSON.parse(bytes.toString())
  return record.output === null || (await hasAny(store, under + record.output)) ? record : undefined
}

async function hasAny(store: ObjectStore, prefix: string): Promise<boolean> {
  for await (const _ of store.list(prefix)) return true
  return false
}

/** Stores a file, or the files of a folder; the card of a dataset last, since it makes them one. */
async function putAll(store: ObjectStore, path: string, key: string, signal?: AbortSignal): Promise<void> {
  if (!(await stat(path)).isDirectory()) return putFile(store, path, key, signal)
  const names = (await readdir(path)).sort((a, b) => Number(a === CARD_FILE) - Number(b === CARD_FILE))
  for (const name of names) await putFile(store, join(path, name), `${key}/${name}`, signal)
}

async function putFile(store: ObjectStore, path: string, key: string, signal?: AbortSignal): Promise<void> {
  const writer = new ObjectWriter(store, key)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      signal?.throwIfAborted()
      await writer.append(chunk)
    }
    signal?.throwIfAborted()
    await writer.close()
  } catch (error) {
    await writer.abandon().catch(() => {}) // the first error is told
    throw error
  }
}

function bodyOf(text: string): ObjectBody {
  const bytes = Buffer.from(text)
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}
