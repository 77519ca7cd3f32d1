import { mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../files/aside.js'
import type { DatasetCard } from '../service/corpus/dataset-card.js'
import type { Aside } from './aside.js'

/** The folder of records: `shards/part-1.txt/KEY.json` below a run's output. */
export const FOLDER = 'shards'

/** What a finished shard is, as its record on the disk has it. It depends on the input's name and bytes and the recipe alone. */
export interface ShardRecord {
  /** Of the recipe, what the input holds and its bytes. */
  readonly key: string
  /** All that decides the output beside the input. */
  readonly recipe: string
  /** The input's name without its folder. */
  readonly input: string
  readonly input_sha256: string
  /** Bytes of the input, as they are stored. */
  readonly bytes: number
  readonly to: string
  /** The output's place below the run's folder; null where the input has no documents. */
  readonly output: string | null
  /** Of the output's bytes; of a folder, of its file of tokens. */
  readonly sha256: string | null
  readonly output_bytes: number
  readonly documents: number
  readonly tokens: number
  /** Code points of all texts. */
  readonly characters: number
}

/** Whether a shard of such a name has ever been finished: only then it is worth its input's hash to look for a record. */
async function hasRecords(out: string, input: string): Promise<boolean> {
  return exists(join(out, FOLDER, input))
}

/** The record of a finished shard whose output is there. */
async function readRecord(out: string, input: string, key: string): Promise<ShardRecord | undefined> {
  const record = await parsed(join(out, FOLDER, input, `${key}.json`))
  if (record === undefined || record.output === null) return record
  return (await exists(join(out, record.output))) ? record : undefined
}

/** Writes a record aside and gives it its name: the last step of a shard. */
async function writeRecord(out: string, record: ShardRecord, aside: Aside): Promise<void> {
  const folder = join(out, FOLDER, record.input)
  await mkdir(folder, { recursive: true })
  const file = await aside.open('record.json')
  await file.write(Buffer.from(recordText(record)))
  await file.close()
  await aside.move('record.json', join(folder, `${record.key}.json`))
}

export function recordText(record: ShardRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

/** All records of finished shards below a run's output, by input name and key. */
export async function allRecords(out: string): Promise<readonly ShardRecord[]> {
  const records: ShardRecord[] = []
  for (const input of (await namesIn(join(out, FOLDER))).sort()) {
    for (const name of (await namesIn(join(out, FOLDER, input))).sort()) {
      const record = await readRecord(out, input, name.replace(/\.json$/, ''))
      if (record !== undefined) records.push(record)
    }
  }
  return records
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function parsed(path: string): Promise<ShardRecord | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Where a run's outputs and their records stay. */
export interface RunPlace {
  /** The folder in which the next shard's output is made. */
  begin(): Promise<string>
  /** Whether a shard of such a name has ever been finished: only then it is worth its input's hash to look for a record. */
  hasRecords(input: string): Promise<boolean>
  /** The record of a finished shard whose output is there. */
  readRecord(input: string, key: string): Promise<ShardRecord | undefined>
  /** Makes an output, which is whole in its folder, be there for all, and its record after it: the last step of a shard. */
  finish(folder: string, record: ShardRecord, aside: Aside): Promise<void>
  /** Removes what is left of a shard in its folder. */
  end(folder: string): Promise<void>
}

/** A folder, in which an output is there as soon as it is whole. */
export function folderPlace(out: string): RunPlace {
  return {
    begin: async () => out,
    hasRecords: (input) => hasRecords(out, input),
    readRecord: (input, key) => readRecord(out, input, key),
    finish: (_, record, aside) => writeRecord(out, record, aside),
    end: async () => {},
  }
}

/** Where the outputs of a run are read again. */
export interface ShardsPlace {
  /** The records of finished shards whose outputs are there, by input name and key. */
  records(signal: AbortSignal): Promise<readonly ShardRecord[]>
  /** The card of an output that is a dataset. @throws OtherLayout */
  card(id: string): Promise<DatasetCard | undefined>
}
