import type { Flag } from './flags.js'

/** One command of the program: its texts for `--help`, and its function. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** How it is called, without the program's name: `embed [FILE] [flags]`. */
  readonly usage: string
  readonly examples: readonly string[]
  /** Flags, in groups as `--help` shows them. */
  readonly flagGroups: readonly FlagGroup[]
  /** How many file names it takes at most. */
  readonly maxFiles: number
  run(call: Call): Promise<void>
}

export interface FlagGroup {
  readonly title: string
  readonly flags: readonly Flag[]
}

/** A parsed command line. */
export interface Call {
  readonly files: readonly string[]
  /** Flag → text as given; `'true'` and `'false'` for switches. Absent flags are absent. */
  readonly values: ReadonlyMap<string, string>
  /** Aborted when the user or the system wants the command to stop (SIGINT, SIGTERM, SIGHUP). */
  readonly signal: AbortSignal
}
