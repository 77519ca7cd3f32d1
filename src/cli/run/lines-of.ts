import { readFile } from 'node:fs/promises'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CommandError } from '../exit.js'

/**
 * The lines of a list that are not empty; `-` is standard input, which may be silent until the signal.
 *
 * @param flag that names the list, for messages
 */
export async function linesOf(path: string, flag: string, signal: AbortSignal): Promise<string[]> {
  try {
    const list = await (path === '-' ? text(addAbortSignal(signal, process.stdin)) : readFile(path, 'utf8'))
    return list.split(/\r?\n/).filter((line) => line !== '')
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
