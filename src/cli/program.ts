import { CommanderError, Option, Command as Parser } from 'commander'
import { InletError } from '../first-layer/errors.js'

/** One command of the program: its texts for `--help`, and its function. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The names that it takes: `<FOLDER> [FILE]`, `<FILE...>`. */
  readonly takes?: string
  readonly examples: readonly string[]
  /** Flags by the titles of their groups, as `--help` shows them. */
  readonly flags: Flags
  /** Flags that it takes time to know: asked for where the command is named. */
  laterFlags?(): Promise<Flags>
  /** A refusal with flags in place of the service's fields. */
  named?(message: string): string
  run(call: Call): Promise<void>
}

type Flags = Readonly<Record<string, readonly Flag[]>>

/** A word before commands: `inlet dataset push`. */
export interface CommandGroup {
  readonly name: string
  readonly summary: string
  readonly commands: readonly Command[]
}

export interface Flag {
  /** In commander's form: `-o, --output <FILE>`, `--json`. */
  readonly notation: string
  readonly doc: string
  /** Whether the flag may be given several times: its values make a list. Otherwise the last one counts. */
  readonly list?: boolean
  /** Whether `--help` leaves the flag out, since another line there describes it. */
  readonly hidden?: boolean
}

/** Flags with their texts: `{ '-o, --output <FILE>': 'Default: stdout.' }`. */
export function flagsIn(docs: Readonly<Record<string, string>>): readonly Flag[] {
  return Object.entries(docs).map(([notation, doc]) => ({ notation, doc }))
}

export interface Call {
  readonly files: readonly string[]
  /** Flag → text as given; `'true'` for a switch. Absent flags are absent. */
  readonly values: ReadonlyMap<string, string>
  /** Aborted when the user or the system wants the command to stop (SIGINT, SIGTERM, SIGHUP). */
  readonly signal: AbortSignal
}

/**
 * Reads the command line and runs its command; writes the pages of `--help` and `--version`. @throws UsageError naming
 * the command, the flag or the file that is wrong
 */
export async function runProgram(
  args: readonly string[],
  commands: readonly (Command | CommandGroup)[],
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const program = new Parser('inlet')
    .description(
      'The first layer of a language model: text in, input embeddings out, bit for bit as PyTorch makes them.',
    )
    .version(version, '-V, --version', 'The version.')
    .addHelpText('after', sections(commands.flatMap((each) => ('run' in each ? each.examples[0] : []))))
    .configureHelp({ helpWidth: 100 })
    .configureOutput({
      outputError() {}, // the caller of this function writes the error
      writeOut: (text) => process.stdout.on('error', () => {}).write(text), // `inlet --help | head`
    })
    .exitOverride()
  for (const command of commands) {
    if ('run' in command) {
      const later = args.includes(command.name) ? await command.laterFlags?.() : {}
      add({ ...command, flags: { ...command.flags, ...later } }, program, version, signal)
    } else {
      const group = program.command(command.name).description(command.summary)
      for (const each of command.commands) add(each, group, version, signal)
    }
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0) throw new UsageError(messageOf(error), { cause: error })
  }
}

function add(command: Command, program: Parser, version: string, signal: AbortSignal): void {
  const { name, summary, takes, examples, flags, named = String } = command
  const parser = program.command(name).description(summary).version(version, '-V, --version', 'The version.')
  const takenNames = takes?.match(/<[^>]*>|\[[^\]]*\]/g) ?? []
  for (const each of takenNames) parser.argument(each)
  for (const [title, group] of Object.entries(flags))
    for (const flag of group) parser.addOption(option(flag).helpGroup(`${title}:`))
  parser
    .allowExcessArguments()
    .addHelpText('after', sections(examples))
    .action(async () => {
      const given = parser.options.flatMap((each): [string, string][] => {
        const value = parser.getOptionValue(each.attributeName())
        return value === undefined ? [] : [[each.name(), String(value)]]
      })
      const most = takes?.includes('...') ? Number.POSITIVE_INFINITY : takenNames.length
      if (parser.args.length > most)
        throw new UsageError(`inlet ${name}: ${parser.args[most]} is one file too many.`)
      await command.run({ files: parser.args, values: new Map(given), signal }).catch((cause) => {
        throw cause instanceof InletError ? new CommandError(named(cause.message), { cause }) : cause
      })
    })
}

function option({ notation, doc, list, hidden = false }: Flag): Option {
  const made = new Option(notation, doc).hideHelp(hidden)
  return list
    ? made.argParser((text, before?: string) => (before === undefined ? text : `${before},${text}`))
    : made
}

function sections(examples: readonly string[]): string {
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`)
  return ['', 'Examples:', ...examples.map((each) => `  $ ${each}`), '', 'Exit codes:', ...codes].join('\n')
}

/** The library's error in one line: `error: unknown option '--strid'\n(Did you mean --stride?)`. */
function messageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'A command is needed.'
  const line = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return line.charAt(0).toUpperCase() + line.slice(1)
}

const EXIT_CODES = {
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

/** A flag's value. @throws UsageError where it is none of those known */
export function oneOf<const Name extends string>(flag: string, known: readonly Name[], given: string): Name {
  const name = known.find((each) => each === given)
  if (name !== undefined) return name
  throw new UsageError(`--${flag} must be one of ${known.join(', ')}. Given: ${given}`)
}

/** Puts what failed in front of its reason: `.catch(failing('a.txt cannot be read'))`. */
export function failing(what: string): (cause: Error) => never {
  return (cause) => {
    throw cause instanceof UsageError ? cause : new CommandError(`${what}: ${cause.message}`, { cause })
  }
}

/** Some shards have failed; the message names them. */
export class PartlyFailed extends CommandError {
  override readonly name = 'PartlyFailed'
  override readonly exitCode = PARTLY_FAILED
}
