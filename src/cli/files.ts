import { randomBytes } from 'node:crypto'
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { finished, Readable } from 'node:stream'
import { openInputFile } from '../run/read/input.js'
import { failing, UsageError } from './program.js'
import { visible } from './terminal.js'

/** A text that is read in chunks, on demand. */
export interface Input {
  readonly name: string
  readonly stream: Readable
  /** The length; undefined if it is no file. */
  readonly bytes: number | undefined
}

/**
 * Opens a file, an object (`s3://BUCKET/KEY`), or stdin for `-` and where no file is named. @throws UsageError where
 * stdin is a terminal, CommandError if the file cannot be read
 */
export async function openInput(path = '-'): Promise<Input> {
  if (path === '-' && process.stdin.isTTY) throw new UsageError('A file is needed, or a text on stdin.')
  const file = await openInputFile(path).catch(failing(`${path} cannot be read`))
  const read = file.blocks()
  const stream = read instanceof Readable ? read : Readable.from(read, { objectMode: false })
  finished(stream, () => void file[Symbol.asyncDispose]())
  return { name: path === '-' ? 'stdin' : path, stream, bytes: file.bytes }
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
  if (path === '-') await writeStdout(counted()).catch(failing('stdout cannot be written'))
  else await replaceFile(path, counted()).catch(failing(`${path} cannot be written`))
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
