import { constants, fstatSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

const STDOUT = 1

/**
 * The descriptor that log lines are written to: standard output, in such a way that a write fails (`EAGAIN`) where it
 * would wait for a reader. Called once in a process, by its first thread.
 *
 * A pipe or a terminal is opened once more: the flag then is not shared with the other processes that write there. What
 * cannot be opened (a socket, a pipe of another user) gets the flag from `process.stdout`, as in any Node process that
 * prints. A file needs none, and is not opened again: its position is shared with standard error.
 */
export function logDescriptor(): number {
  const kind = fstatSync(STDOUT)
  if (!kind.isFIFO() && !kind.isSocket() && !isatty(STDOUT)) return STDOUT
  try {
    const { O_WRONLY, O_APPEND, O_NONBLOCK, O_NOCTTY } = constants
    return openSync(`/proc/self/fd/${STDOUT}`, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY)
  } catch {
    void process.stdout // made by being looked at
    return STDOUT
  }
}
