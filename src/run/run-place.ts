import type { Aside } from './aside.js'
import { hasRecords, readRecord, type ShardRecord, writeRecord } from './record.js'

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
