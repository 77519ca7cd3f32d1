import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER as DATASETS, readCard } from '../corpus/folders.js'
import { AsideFolder, isMissing, makeFolder } from '../files/aside.js'
import { isLocation } from './objects/location.js'
import { FOLDER, type RunPlace, recordText, type ShardRecord } from './record.js'
import { inputName } from './shard.js'

/** @param out `s3://BUCKET/PREFIX`, or a folder @param staging the folder for outputs that go to a bucket */
export async function openPlace(out: string, staging = ''): Promise<RunPlace> {
  if (!isLocation(out)) return folderPlace(out)
  const { bucketPlace } = await import('./bucket-place.js') // only a bucket needs the client
  return bucketPlace(out, staging)
}

function folderPlace(out: string): RunPlace {
  const root = join(out, FOLDER)
  const readRecord = async (name: string, key: string) => {
    const text = await unlessMissing(readFile(join(root, name, `${key}.json`), 'utf8'))
    const record: ShardRecord | undefined = text === undefined ? undefined : JSON.parse(text)
    if (record === undefined || record.output === null) return record
    return (await unlessMissing(stat(join(out, record.output)))) && record
  }
  return {
    begin: async () => out,
    hasRecords: async (name) => (await unlessMissing(stat(join(root, name)))) !== undefined,
    readRecord,
    async finish(_, record) {
      const folder = join(root, inputName(record.input))
      await makeFolder(folder)
      const aside = new AsideFolder(out)
      try {
        const file = await aside.open('record.json')
        await file.write(Buffer.from(recordText(record)))
        await file.close()
        await aside.moveFile('record.json', join(folder, `${record.key}.json`))
      } finally {
        await aside.remove()
      }
    },
    end: async () => {},
    async records() {
      const records: (ShardRecord | undefined)[] = []
      for (const name of ((await unlessMissing(readdir(root))) ?? []).sort())
        for (const file of (await readdir(join(root, name))).sort())
          records.push(await readRecord(name, file.replace(/\.json$/, '')))
      return records.filter((record) => record !== undefined)
    },
    card: (id) => readCard(join(out, DATASETS), id),
  }
}

async function unlessMissing<Result>(found: Promise<Result>): Promise<Result | undefined> {
  try {
    return await found
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
