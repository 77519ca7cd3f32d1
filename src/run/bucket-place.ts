import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CARD_FILE } from '../corpus/folders.js'
import { parseLocation } from './objects/location.js'
import { storeOf } from './objects/s3-store.js'
import type { RunPlace } from './record.js'

/**
 * A run's place in a bucket. An output is made in a local folder of its own, and uploaded when it is whole.
 *
 * @param out `s3://BUCKET/PREFIX`
 * @param staging a folder of this run alone
 */
export function bucketPlace(out: string, staging: string): RunPlace {
  const location = parseLocation(out)!
  const store = storeOf(location)
  const under = location.key === '' ? '' : `${location.key}/`
  return {
    get: (path) => store.get(under + path),
    has: (path) => store.has(under + path),
    async *list(folder) {
      for await (const { key } of store.list(under + folder)) yield key.slice(under.length)
    },
    put: (path, bytes) => store.put(under + path, bytes),
    begin: () => mkdtemp(join(staging, 'shard-')),
    async publish(folder, path, signal) {
      const [from, to] = [join(folder, path), under + path]
      if (!(await stat(from)).isDirectory()) return store.putFile(to, from, signal)
      // The card of a dataset is the last one, since it makes them one.
      const names = (await readdir(from)).sort((a, b) => Number(a === CARD_FILE) - Number(b === CARD_FILE))
      for (const name of names) await store.putFile(`${to}/${name}`, join(from, name), signal)
    },
    end: (folder) => rm(folder, { recursive: true, force: true }),
  }
}
