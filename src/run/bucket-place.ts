import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CARD_FILE, FOLDER as DATASETS, parseCard } from '../corpus/folders.js'
import { WorkQueue } from '../first-layer/running/wait.js'
import { parseLocation } from './objects/location.js'
import { type ObjectStore, storeOf } from './objects/s3-store.js'
import { FOLDER, type RunPlace, recordText, type ShardRecord } from './record.js'
import { inputName } from './shard.js'

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
    return record.output === null || (await store.has(under + record.output)) ? record : undefined
  }
  return {
    async begin() {
      const folder = await mkdtemp(join(staging, 'shard-'))
      await mkdir(join(folder, DATASETS))
      return folder
    },
    hasRecords: (name) => store.has(`${root}${name}/`),
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

/** Stores a file, or the files of a folder; the card of a dataset last, since it makes them one. */
async function putAll(store: ObjectStore, path: string, key: string, signal?: AbortSignal): Promise<void> {
  if (!(await stat(path)).isDirectory()) return store.putFile(key, path, signal)
  const names = (await readdir(path)).sort((a, b) => Number(a === CARD_FILE) - Number(b === CARD_FILE))
  for (const name of names) await store.putFile(`${key}/${name}`, join(path, name), signal)
}
