/** One command of the program: its texts for `--help`, and its function. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** How it is called, without the program's name: `embed [FILE] [flags]`, `dataset show ID`. */
  readonly usage: string
  readonly examples: readonly string[]
  /** Flags, in groups as `--help` shows them. */
  readonly flagGroups: readonly FlagGroup[]
  /** How many file names it takes at most. */
  readonly maxFiles: number
  run(call: Call): Promise<void>
}

/** A word before commands: `inlet dataset push`. */
export interface CommandGroup {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  readonly commands: readonly Command[]
}

export interface FlagGroup {
  readonly title: string
  readonly flags: readonly Flag[]
}

/** One flag, as `--help` shows it. */
export interface Flag {
  /** Without the dashes: `context-length`, `position-embedding.head-dim`. */
  readonly name: string
  /** One letter that stands for it. */
  readonly short?: string
  /** The name of its value in `--help`, `N`; absent for a switch. */
  readonly value?: string
  readonly doc: string
  /** Whether the flag may be given several times: its values make a list. Otherwise the last one counts. */
  readonly list?: boolean
  /** Whether `--help` leaves the flag out, since another line there describes it. */
  readonly hidden?: boolean
  /** Whether it is only the line in `--help` for hidden ones, and no flag itself. */
  readonly isPattern?: boolean
}

/** A parsed command line. */
export interface Call {
  readonly files: readonly string[]
  /** Flag → text as given; `'true'` for a switch. Absent flags are absent. */
  readonly values: ReadonlyMap<string, string>
  /** Aborted when the user or the system wants the command to stop (SIGINT, SIGTERM, SIGHUP). */
  readonly signal: AbortSignal
}
