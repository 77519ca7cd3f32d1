import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isLocation } from '../run/objects/location.js'
import { CommandError, UsageError } from './exit.js'

/** A text that is read in chunks, on demand. */
export interface Input {
  /** Its name in messages. */
  readonly name: string
  readonly stream: Readable
  /** Its length; absent where it is no file. */
  readonly bytes?: number
}

const READ_BYTES = 1 << 18

/**
 * Opens a file, an object (`s3://BUCKET/KEY`), or stdin for `-` and where no file is named.
 *
 * @throws UsageError where stdin is a terminal, CommandError where the file cannot be read
 */
export async function openInput(path = '-'): Promise<Input> {
  if (path === '-') {
    if (process.stdin.isTTY) throw new UsageError('A file is needed, or a text on stdin.')
    return { name: 'stdin', stream: process.stdin }
  }
  try {
    if (isLocation(path)) {
      const { ObjectFile } = await import('../run/objects/object-file.js') // who names no bucket does without
      const object = await ObjectFile.open(path)
      return {
        name: path,
        stream: Readable.from(object.blocks(), { objectMode: false }),
        bytes: object.bytes,
      }
    }
    const file = await open(path)
    const stat = await file.stat()
    if (stat.isDirectory()) throw new CommandError(`${path} is a folder.`)
    const stream = file.createReadStream({ highWaterMark: READ_BYTES })
    return { name: path, stream, bytes: stat.isFile() ? stat.size : undefined }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
