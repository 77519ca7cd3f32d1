import { parseArgs } from 'node:util'
import { UsageError } from './exit.js'

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

/** Files and flags of a command line. */
export interface ParsedFlags {
  readonly files: readonly string[]
  readonly values: ReadonlyMap<string, string>
}

/**
 * Reads a command line: `['a.txt', '--stride', '4', '--shuffle']` → files `a.txt`, values `stride` → `4`,
 * `shuffle` → `true`. All values are strings; the schema of the option that they are for checks them later.
 *
 * @throws UsageError naming the flag
 */
export function parseFlags(args: readonly string[], shown: readonly Flag[]): ParsedFlags {
  const flags = shown.filter(({ isPattern }) => !isPattern)
  const options = Object.fromEntries(
    flags.map(({ name, short, value }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: true as const,
        ...(short && { short }),
      },
    ]),
  )
  const { values, positionals } = parsed(args, options, flags)
  const given = new Map<string, string>()
  for (const flag of flags) {
    const texts = values[flag.name]
    if (texts === undefined) continue
    given.set(flag.name, flag.list ? texts.join(',') : String(texts.at(-1)))
  }
  return { files: positionals, values: given }
}

type Options = Record<string, { type: 'boolean' | 'string'; multiple: true; short?: string }>

function parsed(args: readonly string[], options: Options, flags: readonly Flag[]) {
  try {
    const result = parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
    return result as { values: Record<string, (string | boolean)[] | undefined>; positionals: string[] }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw error
    throw new UsageError(
      code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' ? unknownFlag(message, flags) : oneLine(message),
    )
  }
}

/** Joins the lines of Node's message. */
function oneLine(message: string): string {
  return message.replaceAll('\n', ' ')
}

/** A message with the nearest known flag. Node's message names the given flag first, between quotation marks. */
function unknownFlag(message: string, flags: readonly Flag[]): string {
  const given = /'([^']+)'/.exec(message)?.[1] ?? message
  const near = nearest(given.replace(/^-+/, ''), flags)
  return `${given} is not a flag of this command.${near === undefined ? '' : ` Did you mean --${near}?`}`
}

/** A known flag is suggested where it differs from the given one by at most so many edits. */
const MAX_EDITS = 3

function nearest(given: string, flags: readonly Flag[]): string | undefined {
  const [first] = flags
    .map(({ name }) => ({ name, distance: edits(given, name) }))
    .sort((a, b) => a.distance - b.distance)
  return first !== undefined && first.distance <= Math.min(MAX_EDITS, given.length / 2)
    ? first.name
    : undefined
}

/** The least number of letters to insert, delete or replace: `strid`, `stride` → 1 (Levenshtein 1965). */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
