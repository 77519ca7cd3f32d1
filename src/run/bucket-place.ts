import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CARD_FILE, FOLDER as DATASETS, parseCard } from '../corpus/folders.js'
import { WorkQueue } from '../first-layer/running/wait.js'
import { parseLocation } from './objects/location.js'
import { type ObjectStore, storeOf } from './objects/s3-store.js'
import { openInputFile } from './read/input.js'
import { FOLDER, type RunPlace, recordText, type ShardRecord } from './record.js'
import { inputName } from './shard.js'

/** Bytes of a part of a large object, which has at most 10,000 parts. */
export const PART_BYTES = 1 << 23
const MAX_BYTES = 10_000 * PART_BYTES
const READS = 16

/**
 * A run's place in a bucket, under the keys that the files of a folder would have. A shard's output is made in a separate
 * local folder and uploaded when it is whole.
 *
 * @param out `s3://BUCKET/PREFIX`
 * @param staging a folder of this run alone
 */
export function bucketPlace(out: string, staging: string): RunPlace {
  const { store, under } = openBucket(out)
  const root = `${under}${FOLDER}/`
  const readRecord = async (key: string) => {
    const bytes = await store.get(key)
    if (bytes === undefined) return undefined
    const record: ShardRecord = JSON.parse(bytes.toString())
    return record.output === null || (await hasAny(store, under + record.output)) ? record : undefined
  }
  return {
    async begin() {
      const folder = await mkdtemp(join(staging, 'shard-'))
      await mkdir(join(folder, DATASETS))
      return folder
    },
    hasRecords: (name) => hasAny(store, `${root}${name}/`),
    readRecord: (name, key) => readRecord(`${root}${name}/${key}.json`),
    async finish(folder, record) {
      if (record.output !== null) await putAll(store, join(folder, record.output), under + record.output)
      await store.put(`${root}${inputName(record.input)}/${record.key}.json`, Buffer.from(recordText(record)))
    },
    end: (folder) => rm(folder, { recursive: true, force: true }),
    async records(signal) {
      const reads = new WorkQueue(READS)
      const found: Promise<ShardRecord | undefined>[] = []
      for await (const { key } of store.list(root)) {
        signal.throwIfAborted()
        if (!key.endsWith('.json')) continue
        const record = reads.run(() => readRecord(key))
        record.catch(() => {}) // Promise.all tells the error
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
  const { store, under } = openBucket(out)
  const path = `${DATASETS}/${id}`
  if ((await store.get(`${under}${path}/${CARD_FILE}`)) !== undefined) return false
  await putAll(store, join(folder, path), under + path, signal)
  return true
}

function openBucket(out: string): { readonly store: ObjectStore; readonly under: string } {
  const location = parseLocation(out)!
  return { store: storeOf(location), under: location.key === '' ? '' : `${location.key}/` }
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

/** Stores a local file: a small one at once, a large one in parts. The object is there when this settles, or not at all. */
export async function putFile(
  store: ObjectStore,
  path: string,
  key: string,
  signal?: AbortSignal,
): Promise<void> {
  const file = await openInputFile(path)
  let parts: Awaited<ReturnType<ObjectStore['begin']>> | undefined
  try {
    const size = file.bytes!
    const partAt = (at: number) => {
      signal?.throwIfAborted()
      return file.read(at, Math.min(PART_BYTES, size - at))
    }
    if (size <= PART_BYTES) return await store.put(key, await partAt(0), signal)
    if (size > MAX_BYTES)
      throw new Error(`An object of a bucket must be at most ${MAX_BYTES} bytes. Given: ${size}`)
    parts = await store.begin(key)
    for (let at = 0; at < size; at += PART_BYTES)
      await parts.put(at / PART_BYTES + 1, await partAt(at), signal)
    signal?.throwIfAborted()
    await parts.complete()
  } catch (error) {
    await parts?.abort().catch(() => {}) // the first error is the one to tell
    signal?.throwIfAborted()
    throw error
  } finally {
    await file.close()
  }
}
