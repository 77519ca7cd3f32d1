import { join } from 'node:path'
import { crc32c } from './crc32c.js'
import { Damage } from './damage.js'
import type { DiskRoom } from './disk-room.js'
import { type FileSystem, type InPieces, readAll, syncFolder, writeSynced } from './file-system.js'
import { asideFile, checkpointFile, logFile } from './folder-files.js'
import type { StoredRecord } from './read-records.js'
import { type LearningSync, RecordLog } from './record-log.js'

/** What a journal writes to, and how. */
export interface JournalDisk {
  readonly fs: FileSystem
  readonly room: DiskRoom
  readonly sync: LearningSync
}

const NONE = new Uint8Array(0)
/** Bytes of a checkpoint that are read at once. */
const BLOCK_BYTES = 1 << 20

/**
 * Writes checkpoint N and begins log N, whose first record has the checkpoint's length and CRC-32C. The log is durable
 * before the checkpoint gets its name: so a log without a checkpoint was never used, and a checkpoint without its log is
 * damage.
 *
 * @throws Error of the file system, InletError `insufficient_storage`: the caller removes what is there then
 */
export function* writeNumbered(
  { fs, room, sync }: JournalDisk,
  folder: string,
  number: number,
  checkpoint: Iterable<Uint8Array>,
): InPieces<RecordLog> {
  let crc = 0
  function* checked() {
    for (const block of checkpoint) {
      room.take(block.length)
      crc = crc32c(block, crc)
      yield block
    }
  }
  const aside = join(folder, asideFile(number))
  const bytes = yield* writeSynced(fs, aside, checked())
  const log = new RecordLog(fs, fs.openSync(join(folder, logFile(number)), 'wx+'), number, sync, 0, 0)
  try {
    log.append('begin', Buffer.from(JSON.stringify({ bytes, crc32c: crc })), NONE)
    log.flush()
    syncFolder(fs, folder)
    fs.renameSync(aside, join(folder, checkpointFile(number)))
    syncFolder(fs, folder)
    return log
  } catch (error) {
    log.discard()
    throw error
  }
}

/** Removes checkpoint N and log N, finished or not, those that are there. The checkpoint goes before its log. */
export function removeNumbered(fs: FileSystem, folder: string, number: number): void {
  for (const name of [checkpointFile(number), asideFile(number), logFile(number)]) {
    try {
      fs.unlinkSync(join(folder, name))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  syncFolder(fs, folder)
}

/** Checks a checkpoint by what the log after it has of it. @throws Damage */
export function checkCheckpoint(fs: FileSystem, path: string, file: number, begin: StoredRecord): void {
  const { bytes, crc32c: due } = begin.fields as { readonly bytes: number; readonly crc32c: number }
  const { size } = fs.fstatSync(file)
  if (size !== bytes)
    throw new Damage(path, Math.min(size, bytes), `must have ${bytes} bytes. Given: ${size}`)
  const block = new Uint8Array(Math.min(BLOCK_BYTES, bytes))
  let crc = 0
  for (let at = 0; at < bytes; at += block.length) {
    const some = block.subarray(0, Math.min(block.length, bytes - at))
    if (!readAll(fs, file, some, at)) throw new Damage(path, at, 'the file ends earlier than it did')
    crc = crc32c(some, crc)
  }
  if (crc !== due) throw new Damage(path, 0, 'the bytes of the checkpoint are not those that were written')
}
