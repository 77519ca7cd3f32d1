import { readFileSync } from 'node:fs'
import { CommandError } from '../exit.js'

/** The lines of a list that are not empty; `-` is standard input. @param flag that names the list, for messages */
export function linesOf(path: string, flag: string): string[] {
  try {
    const text = readFileSync(path === '-' ? 0 : path, 'utf8')
    return text.split(/\r?\n/).filter((line) => line !== '')
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
