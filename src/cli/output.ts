import { randomBytes } from 'node:crypto'
import { type FileHandle, open, realpath, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CommandError } from './exit.js'
import { visible } from './visible.js'

/** The destination of an answer. */
export interface Output {
  write(chunk: Uint8Array): Promise<void>
  /** Ends a complete output: a file gets its name. */
  finish(): Promise<void>
  /** Removes an incomplete file. */
  discard(): Promise<void>
}

/** Opens stdout for `-`, a device or a pipe as it is, or a file, which gets its name only when complete. */
export async function openOutput(path: string): Promise<Output> {
  if (path === '-') return standardOutput()
  try {
    const target = await realpath(path).catch(() => path) // a link keeps pointing to the file
    const there = await stat(target).catch(() => undefined)
    if (there?.isDirectory()) throw new Error('it is a folder')
    if (there !== undefined && !there.isFile()) return directOutput(await open(target, 'w'))
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

function directOutput(file: FileHandle): Output {
  return { write: (chunk) => file.writeFile(chunk), finish: () => file.close(), discard: () => file.close() }
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
