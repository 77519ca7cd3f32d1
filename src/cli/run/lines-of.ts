import { readFile } from 'node:fs/promises'
import { addAbortSignal, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { isLocation } from '../../objects/location.js'
import { openInputFile } from '../../run/read/input-file.js'
import { CommandError } from '../exit.js'

async function contentOf(path: string, signal: AbortSignal): Promise<string> {
  if (!isLocation(path)) return readFile(path, 'utf8')
  const file = await openInputFile(path)
  try {
    return await text(addAbortSignal(signal, Readable.from(file.blocks())))
  } finally {
    await file.close()
  }
}

/**
 * The lines of a list, a file or an object of a bucket, that are not empty; `-` is standard input, which may be silent until the signal.
 *
 * @param flag that names the list, for messages
 */
export async function linesOf(path: string, flag: string, signal: AbortSignal): Promise<string[]> {
  try {
    const list = await (path === '-' ? text(addAbortSignal(signal, process.stdin)) : contentOf(path, signal))
    return list.split(/\r?\n/).filter((line) => line !== '')
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
