/** The exit codes of commands; `--help` lists them. */
export const EXIT_CODES = {
  0: 'ok',
  1: 'refused by the service, or failed; no output file is left',
  2: 'wrong usage: a flag, a value or a file name that the command does not take',
  3: 'some shards of a run failed, which are named; the others are done',
  130: 'interrupted (143: ended by SIGTERM, 129: by SIGHUP); no output file is left',
} as const

export const OK = 0
export const FAILED = 1
const WRONG_USAGE = 2
const PARTLY_FAILED = 3

/** A failure of a command: a message for the user, and the code to exit with. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError'
  readonly exitCode: number = FAILED
}

/** The command line cannot be understood; the message names the flag. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError'
  override readonly exitCode = WRONG_USAGE
}

/** Some shards have failed; the message names them. */
export class PartlyFailed extends CommandError {
  override readonly name = 'PartlyFailed'
  override readonly exitCode = PARTLY_FAILED
}
