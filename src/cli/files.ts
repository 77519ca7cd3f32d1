import { randomBytes } from 'node:crypto'
import { open, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { isLocation } from '../run/objects/location.js'
import { openFifo } from '../run/read/input.js'
import { CommandError, UsageError } from './program.js'
import { visible } from './terminal.js'

/** A text that is read in chunks, on demand. */
export interface Input {
  readonly name: string
  readonly stream: Readable
  /** The length; absent if it is no file. */
  readonly bytes?: number
}

const READ_BYTES = 1 << 18

/**
 * Opens a file, an object (`s3://BUCKET/KEY`), or stdin for `-` and where no file is named. @throws UsageError where
 * stdin is a terminal, CommandError if the file cannot be read
 */
export async function openInput(path = '-'): Promise<Input> {
  if (path === '-') {
    if (process.stdin.isTTY) throw new UsageError('A file is needed, or a text on stdin.')
    return { name: 'stdin', stream: process.stdin }
  }
  try {
    if (isLocation(path)) {
      const { openObject } = await import('../run/objects/object-file.js') // only a bucket needs the client
      const { bytes, blocks } = await openObject(path)
      return { name: path, stream: Readable.from(blocks(), { objectMode: false }), bytes }
    }
    const there = await stat(path)
    if (there.isDirectory()) throw new CommandError(`${path} is a folder.`)
    if (there.isFIFO()) return { name: path, stream: openFifo(path) }
    const file = await open(path)
    const stream = file.createReadStream({ highWaterMark: READ_BYTES })
    return { name: path, stream, bytes: there.isFile() ? there.size : undefined }
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/**
 * Writes an output: all of it, or no file is left. `-` is stdout; a device or a pipe is written as it is.
 *
 * @param wrote called with the bytes of each chunk
 * @throws CommandError also for what making the chunks throws
 */
export async function writeOutput(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  wrote: (bytes: number) => void = () => {},
): Promise<void> {
  async function* counted() {
    for await (const chunk of chunks) {
      yield chunk
      wrote(chunk.length)
    }
  }
  try {
    await (path === '-' ? writeStdout(counted()) : replaceFile(path, counted()))
  } catch (error) {
    const name = path === '-' ? 'stdout' : path
    throw new CommandError(`${name} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** Writes a file aside, in the same folder: it gets its name when it is complete. */
async function replaceFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const target = await realpath(path).catch(() => path) // a link keeps pointing to the file
  const there = await stat(target).catch(() => undefined)
  if (there !== undefined && !there.isFile()) return writeFile(target, chunks)
  const aside = join(dirname(target), `.${basename(target)}.${randomBytes(3).toString('hex')}.part`)
  try {
    await writeFile(aside, chunks, { flag: 'wx', mode: there?.mode })
    await rename(aside, target)
  } catch (error) {
    await rm(aside, { force: true }).catch(() => {})
    throw error
  }
}

async function writeStdout(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdout } = process
  stdout.on('error', () => {}) // each write gets its own error
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    // Valid JSON has no control characters. Those of a malicious server must not reach a terminal.
    const shown = stdout.isTTY ? visible(decoder.decode(chunk, { stream: true }), '\n\t') : chunk
    await new Promise<void>((resolve, reject) => {
      stdout.write(shown, (error) => (error ? reject(error) : resolve()))
    })
  }
}
