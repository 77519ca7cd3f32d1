import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CARD_FILE, FOLDER as DATASETS } from '../datasets/disk/folders.js'
import { parseLocation } from '../objects/location.js'
import type { ObjectBody, ObjectStore } from '../objects/object-store.js'
import { ObjectWriter } from '../objects/object-writer.js'
import { storeOf } from '../objects/open-store.js'
import { FOLDER, recordText, type ShardRecord } from './record.js'
import type { RunPlace } from './run-place.js'

/** Bytes of one read of a file that goes up. */
const READ_BYTES = 1 << 20

/**
 * A bucket, with the keys that the files of a folder would have. Outputs are made in a folder of this machine, one a shard,
 * and go up when they are whole.
 *
 * @param out `s3://BUCKET/PREFIX`
 * @param staging a folder of this run alone
 */
export async function bucketPlace(out: string, staging: string): Promise<RunPlace> {
  const location = parseLocation(out)
  if (location === undefined) throw new Error(`${out} names no bucket.`) // the command has checked it
  const store = await storeOf(location)
  const under = location.key === '' ? '' : `${location.key}/`
  const recordKey = (input: string, key: string) => `${under}${FOLDER}/${input}/${key}.json`
  return {
    async begin() {
      const folder = await mkdtemp(join(staging, 'shard-'))
      await mkdir(join(folder, DATASETS))
      return folder
    },
    hasRecords: (input) => hasAny(store, `${under}${FOLDER}/${input}/`),
    async readRecord(input, key) {
      const bytes = await store.get(recordKey(input, key))
      if (bytes === undefined) return undefined
      const record: ShardRecord = JSON.parse(bytes.toString())
      return (await hasAny(store, under + record.output)) ? record : undefined
    },
    async finish(folder, record) {
      await putAll(store, join(folder, record.output), under + record.output)
      await store.put(recordKey(record.input, record.key), bodyOf(recordText(record)))
    },
    end: (folder) => rm(folder, { recursive: true, force: true }),
  }
}

async function hasAny(store: ObjectStore, prefix: string): Promise<boolean> {
  for await (const _ of store.list(prefix)) return true
  return false
}

/** Stores a file, or the files of a folder; the card of a dataset last, since it makes them one. */
async function putAll(store: ObjectStore, path: string, key: string): Promise<void> {
  if (!(await stat(path)).isDirectory()) return putFile(store, path, key)
  const names = (await readdir(path)).sort((a, b) => Number(a === CARD_FILE) - Number(b === CARD_FILE))
  for (const name of names) await putFile(store, join(path, name), `${key}/${name}`)
}

async function putFile(store: ObjectStore, path: string, key: string): Promise<void> {
  const writer = new ObjectWriter(store, key)
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES }))
      await writer.append(chunk)
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
