import { constants, fstatSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'

const STDOUT = 1

/**
 * The descriptor for log lines: standard output, non-blocking (`O_NONBLOCK`), so that a write fails with
 * `EAGAIN` where it would wait for a reader. The first thread calls this once in a process.
 *
 * A pipe or a terminal is opened again, so that other processes that write there do not get the flag. Where it
 * cannot be opened (a socket, a pipe of another user), `process.stdout` sets the flag, as in any Node process
 * that prints. A file needs no flag and is not opened again, since standard error may share its position.
 */
export function logDescriptor(): number {
  const kind = fstatSync(STDOUT)
  if (!kind.isFIFO() && !kind.isSocket() && !isatty(STDOUT)) return STDOUT
  try {
    const { O_WRONLY, O_APPEND, O_NONBLOCK, O_NOCTTY } = constants
    return openSync(`/proc/self/fd/${STDOUT}`, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY)
  } catch {
    void process.stdout // Node makes the stream, and sets the flag, when the property is read
    return STDOUT
  }
}
