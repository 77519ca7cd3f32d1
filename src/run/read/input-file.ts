import { type FileHandle, open } from 'node:fs/promises'
import { isLocation } from '../objects/location.js'

/** Bytes of one read. */
const READ_BYTES = 1 << 19

/** The bytes of an input, wherever they lie. */
export interface InputFile {
  /** Undefined where it is no file: a pipe. */
  readonly bytes: number | undefined
  /** All bytes, in order. */
  blocks(): AsyncIterable<Buffer>
  read(start: number, length: number): Promise<Buffer>
  /** @throws Error where it has changed since it was opened */
  check(): Promise<void>
  close(): Promise<void>
}

/** Opens a file, or an object of a bucket. */
export async function openInputFile(path: string): Promise<InputFile> {
  if (!isLocation(path)) return openFile(await open(path))
  const { ObjectFile } = await import('../objects/object-file.js')
  return ObjectFile.open(path)
}

async function openFile(handle: FileHandle): Promise<InputFile> {
  const before = await handle.stat()
  return {
    bytes: before.isFile() ? before.size : undefined,
    blocks: () => handle.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES }),
    async read(start, length) {
      const bytes = Buffer.allocUnsafeSlow(length)
      for (let at = 0; at < length; ) {
        const { bytesRead } = await handle.read(bytes, at, length - at, start + at)
        if (bytesRead === 0) throw new Error('The file has become shorter than it was.')
        at += bytesRead
      }
      return bytes
    },
    async check() {
      const { size, mtimeMs } = await handle.stat()
      if (size !== before.size || mtimeMs !== before.mtimeMs)
        throw new Error('The file has changed while it was read.')
    },
    close: () => handle.close().catch(() => {}),
  }
}
