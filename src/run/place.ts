import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { makeFolder, undefinedIfMissing, writeWhole } from '../files/aside.js'
import { WorkQueue } from '../first-layer/running/wait.js'
import { isLocation } from './objects/location.js'
import type { RunPlace, ShardRecord } from './record.js'
import { inputName } from './shard.js'

/** @param out `s3://BUCKET/PREFIX`, or a folder @param staging the folder for outputs that go to a bucket */
export async function openPlace(out: string, staging = ''): Promise<RunPlace> {
  if (!isLocation(out)) return folderPlace(out)
  const { bucketPlace } = await import('./bucket-place.js') // only a bucket needs the client
  return bucketPlace(out, staging)
}

function folderPlace(out: string): RunPlace {
  return {
    get: (path) => readFile(join(out, path)).catch(undefinedIfMissing),
    has: async (path) => (await stat(join(out, path)).catch(undefinedIfMissing)) !== undefined,
    async list(folder) {
      const below = await readdir(join(out, folder), { recursive: true }).catch(undefinedIfMissing)
      return (below ?? []).sort().map((path) => join(folder, path))
    },
    async put(path, bytes) {
      await makeFolder(dirname(join(out, path)))
      await writeWhole(join(out, path), [bytes], out)
    },
    begin: async () => out,
    publish: async () => {}, // it was made there
    end: async () => {},
  }
}

/** Work in a folder of this machine, which is then removed. */
export async function inStaging<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
  const staging = await mkdtemp(join(tmpdir(), 'inlet-run-'))
  return work(staging).finally(() => rm(staging, { recursive: true, force: true }))
}

/** The folder of records: `shards/part-1.txt/KEY.json`, with the input's last name. */
const RECORDS = 'shards/'
const RECORD = /^shards\/[^/]+\/[^/]+\.json$/

/** Whether a shard of an input of this last name was ever finished: if not, the input need not be hashed to look for a record. */
export function hasRecords(place: RunPlace, name: string): Promise<boolean> {
  return place.has(`${RECORDS}${name}/`)
}

/** The record of a finished shard whose output is there. */
export function recordOf(place: RunPlace, name: string, key: string): Promise<ShardRecord | undefined> {
  return readRecord(place, `${RECORDS}${name}/${key}.json`)
}

async function readRecord(place: RunPlace, path: string): Promise<ShardRecord | undefined> {
  const text = await place.get(path)
  const record: ShardRecord | undefined = text && JSON.parse(text.toString())
  return record && (record.output === null || (await place.has(record.output))) ? record : undefined
}

/** Publishes an output that is whole in its folder, and then its record: the last step of a shard. */
export async function finishShard(place: RunPlace, folder: string, record: ShardRecord): Promise<void> {
  if (record.output !== null) await place.publish(folder, record.output)
  const path = `${RECORDS}${inputName(record.input)}/${record.key}.json`
  await place.put(path, Buffer.from(`${JSON.stringify(record, null, 2)}\n`))
}

const READS = 16

/** The records of finished shards whose outputs are there, by input name and key. */
export async function allRecords(place: RunPlace, signal: AbortSignal): Promise<readonly ShardRecord[]> {
  const reads = new WorkQueue(READS)
  const found: Promise<ShardRecord | undefined>[] = []
  for await (const path of await place.list(RECORDS)) {
    signal.throwIfAborted()
    if (!RECORD.test(path)) continue
    const record = reads.run(() => readRecord(place, path))
    record.catch(() => {}) // Promise.all tells the error
    found.push(record)
  }
  return (await Promise.all(found)).filter((record) => record !== undefined)
}
