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

/** Writes a file that is not there yet, and makes its bytes durable. @returns their number */
export function writeSynced(fs: FileSystem, path: string, blocks: Iterable<Uint8Array>): number {
  const file = fs.openSync(path, 'wx')
  try {
    let position = 0
    for (const block of blocks) {
      writeAll(fs, file, block, position)
      position += block.length
    }
    fs.fsyncSync(file)
    return position
  } finally {
    fs.closeSync(file)
  }
}
