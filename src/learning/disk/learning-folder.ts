import { join } from 'node:path'
import type { CheckpointFile } from '../../first-layer/learning/restore.js'
import { headerLength, LENGTH_BYTES, parseHeader } from '../../first-layer/tensors/safetensors/header.js'
import type { Reopened, Replay } from '../journals.js'
import { callOf } from './call-fields.js'
import { Damage, there } from './damage.js'
import { DiskJournal } from './disk-journal.js'
import { type FileSystem, readAll } from './file-system.js'
import { checkpointFile, listFiles, logFile } from './folder-files.js'
import type { FolderOwner } from './folder-owner.js'
import { checkCheckpoint, type JournalDisk, removeNumbered } from './numbered-files.js'
import { readRecords, type StoredRecord } from './read-records.js'
import { RecordLog } from './record-log.js'

/** A folder that is open. */
export interface OpenedFolder<State> extends Reopened<State> {
  readonly journal: DiskJournal
}

/**
 * Reads a folder that this process owns: the latest checkpoint, then every call since. A tail that is torn off is cut.
 *
 * @throws Damage, OtherLayout, and what `replay` throws; nothing is changed then
 */
export function openFolder<State>(
  disk: JournalDisk,
  folder: string,
  owner: FolderOwner,
  replay: Replay<State>,
): OpenedFolder<State> {
  const { fs, sync } = disk
  const number = presentNumber(fs, folder)
  const path = join(folder, logFile(number))
  const file = there(path, () => fs.openSync(path, 'r+'))
  try {
    const records = readRecords(fs, file, path, number)
    const begin = records.next().value
    if (begin?.kind !== 'begin') throw new Damage(path, 0, 'the first record is not there')
    const state = restored(fs, join(folder, checkpointFile(number)), begin, (checkpoint) =>
      replay.restore(checkpoint),
    )
    let [end, count] = [begin.end, 1]
    for (const record of records) {
      replay.again(state, callOf(record))
      end = record.end
      count++
    }
    const bytes = fs.fstatSync(file).size - end
    if (bytes > 0) {
      fs.ftruncateSync(file, end)
      fs.fsyncSync(file)
    }
    removeOthers(fs, folder, number)
    const log = new RecordLog(fs, file, number, sync, end, count)
    const torn = bytes > 0 ? { file: path, offset: end, bytes } : undefined
    return { state, torn, journal: new DiskJournal(disk, folder, owner, number, log) }
  } catch (error) {
    fs.closeSync(file)
    throw error
  }
}

/** The number of the latest checkpoint. @throws Damage where there is none, or a log tells of a later one */
function presentNumber(fs: FileSystem, folder: string): number {
  const { checkpoints, logs } = listFiles(fs, folder)
  const [number] = checkpoints
  if (number === undefined) throw new Damage(join(folder, checkpointFile(0)), 0, 'there is no checkpoint')
  for (const later of logs.filter((log) => log > number)) {
    const path = join(folder, logFile(later))
    if (hasCalls(fs, path, later)) throw new Damage(path, 0, 'its checkpoint is not there')
  }
  return number
}

/** Whether a log has more than its first record. */
function hasCalls(fs: FileSystem, path: string, number: number): boolean {
  const file = there(path, () => fs.openSync(path, 'r'))
  try {
    const records = readRecords(fs, file, path, number)
    return !records.next().done && !records.next().done
  } catch (error) {
    if (error instanceof Damage) return false // it was not finished
    throw error
  } finally {
    fs.closeSync(file)
  }
}

function restored<State>(
  fs: FileSystem,
  path: string,
  begin: StoredRecord,
  restore: (checkpoint: CheckpointFile) => State,
): State {
  const file = there(path, () => fs.openSync(path, 'r'))
  try {
    checkCheckpoint(fs, path, file, begin)
    const read = (out: Uint8Array, position: number) => {
      if (!readAll(fs, file, out, position))
        throw new Damage(path, position, 'the file ends earlier than it did')
      return out
    }
    const length = headerLength(read(new Uint8Array(LENGTH_BYTES), 0))
    const start = LENGTH_BYTES + length
    const json = read(new Uint8Array(length), LENGTH_BYTES)
    const header = parseHeader(json, fs.fstatSync(file).size - start)
    return restore({ header, read: (from, out) => void read(out, start + from) })
  } finally {
    fs.closeSync(file)
  }
}

/** Removes what a fold that was not finished has left. */
function removeOthers(fs: FileSystem, folder: string, number: number): void {
  const { checkpoints, logs, asides } = listFiles(fs, folder)
  const others = new Set([...checkpoints, ...logs, ...asides])
  others.delete(number)
  for (const other of others) removeNumbered(fs, folder, other)
}
