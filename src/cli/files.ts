import { randomBytes } from 'node:crypto'
import { open, realpath, rename, stat, unlink } from 'node:fs/promises'
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
 * Writes an output: all of it, or no file is left.
 *
 * @param failed the message of its error begins so
 * @param wrote called with the bytes of each chunk
 */
export async function writeOutput(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  failed: string,
  wrote: (bytes: number) => void = () => {},
): Promise<void> {
  const output = await openOutput(path)
  try {
    for await (const chunk of chunks) {
      await output.write(chunk)
      wrote(chunk.length)
    }
    await output.finish()
  } catch (error) {
    await output.discard()
    throw new CommandError(`${failed}: ${(error as Error).message}`, { cause: error })
  }
}

export interface Output {
  write(chunk: Uint8Array): Promise<void>
  /** Ends a complete output: a file gets its name. */
  finish(): Promise<void>
  discard(): Promise<void>
}

/** Opens stdout for `-`, a device or a pipe as it is, or a file, which gets its name only when complete. */
export async function openOutput(path: string): Promise<Output> {
  if (path === '-') return standardOutput()
  try {
    const target = await realpath(path).catch(() => path) // a link keeps pointing to the file
    const there = await stat(target).catch(() => undefined)
    if (there?.isDirectory()) throw new Error('it is a folder')
    if (there !== undefined && !there.isFile()) {
      const file = await open(target, 'w')
      const close = () => file.close()
      return { write: (chunk) => file.writeFile(chunk), finish: close, discard: close }
    }
    return await replacingOutput(target, there?.mode)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}

/** A temporary file in the same folder, renamed at the end: `.x.npy.5b3d2a.part`. */
async function replacingOutput(target: string, mode?: number): Promise<Output> {
  const name = `.${basename(target)}.${randomBytes(3).toString('hex')}.part`
  const temporary = join(dirname(target), name)
  const file = await open(temporary, 'wx', mode)
  return {
    write: (chunk) => file.writeFile(chunk),
    async finish() {
      await file.close()
      await rename(temporary, target)
    },
    async discard() {
      await file.close().catch(() => {})
      await unlink(temporary).catch(() => {})
    },
  }
}

function standardOutput(): Output {
  const { stdout } = process
  stdout.on('error', () => {}) // each write gets its own error
  const write = (chunk: Uint8Array | string) =>
    new Promise<void>((resolve, reject) => {
      stdout.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  const decoder = new TextDecoder()
  return {
    // Valid JSON has no control characters. Those of a malicious server must not reach a terminal.
    write: (chunk) => write(stdout.isTTY ? visible(decoder.decode(chunk, { stream: true }), '\n\t') : chunk),
    finish: async () => {},
    discard: async () => {},
  }
}
