import type * as fs from 'node:fs'

/** The file operations of a log, one after the other in the thread that learns. Tests give others that fail. */
export type FileSystem = Pick<
  typeof fs,
  | 'closeSync'
  | 'fdatasyncSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'lstatSync'
  | 'lutimesSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'readlinkSync'
  | 'readSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'writeSync'
>

/** Makes the names in a folder durable: what was made, renamed or removed there. */
export function syncFolder(fs: FileSystem, path: string): void {
  const folder = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(folder)
  } finally {
    fs.closeSync(folder)
  }
}

/** Writes all bytes. A file system that is full takes some of them, and throws at the next. */
export function writeAll(fs: FileSystem, file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += fs.writeSync(file, bytes, at, bytes.length - at, position + at)
  }
}

/** Fills `out` from `position` on. @returns false where the file ends before */
export function readAll(fs: FileSystem, file: number, out: Uint8Array, position: number): boolean {
  for (let at = 0; at < out.length; ) {
    const read = fs.readSync(file, out, at, out.length - at, position + at)
    if (read === 0) return false
    at += read
  }
  return true
}

/** Bytes of a file that are written at once: some milliseconds. */
const PIECE_BYTES = 1 << 24

/** A result, after steps between which other work may come. */
export type InPieces<Result> = Generator<void, Result, void>

/** Writes a file that is not there yet, and makes its bytes durable, piece by piece. @returns their number */
export function* writeSynced(fs: FileSystem, path: string, blocks: Iterable<Uint8Array>): InPieces<number> {
  const file = fs.openSync(path, 'wx')
  try {
    let [position, durable] = [0, 0]
    for (const block of blocks) {
      writeAll(fs, file, block, position)
      position += block.length
      if (position - durable < PIECE_BYTES) continue
      fs.fdatasyncSync(file) // at the end, all of them together would take seconds
      durable = position
      yield
    }
    fs.fsyncSync(file)
    return position
  } finally {
    fs.closeSync(file)
  }
}

/** Does all pieces of a work at once. */
export function atOnce<Result>(work: InPieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
