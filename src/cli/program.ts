import { CommanderError, Help, Option, Command as Parser } from 'commander'
import type { Command, CommandGroup, Flag } from './command.js'
import { EXIT_CODES, UsageError } from './exit.js'
import { styleFor } from './style.js'

/** Width of a line of `--help`, and of the flags before their descriptions. */
const WIDTH = 100
const FLAG_WIDTH = 35

/**
 * Reads the command line and runs its command; writes the pages of `--help` and `--version`.
 *
 * @throws UsageError naming the command, the flag or the file that is wrong
 */
export async function runProgram(
  args: readonly string[],
  commands: readonly (Command | CommandGroup)[],
  version: string,
  signal: AbortSignal,
): Promise<void> {
  const program = new Parser('inlet')
    .usage('COMMAND [flags]')
    .description(
      'The first layer of a language model: text in, input embeddings out, bit for bit as PyTorch makes them.',
    )
    .addHelpText('after', sections(commands.flatMap((each) => leavesOf(each)[0]!.examples.slice(0, 1))))
    .addHelpText('after', '\nFor more: inlet COMMAND --help')
    .configureHelp(page(commands.flatMap(leavesOf)))
    .configureOutput({
      outputError() {}, // the caller of this function writes the error
      writeOut: (text) => process.stdout.on('error', () => {}).write(text), // `inlet --help | head`
      getOutHelpWidth: () => WIDTH,
      getErrHelpWidth: () => WIDTH,
      getOutHasColors: () => styleFor(process.stdout).inColour,
      getErrHasColors: () => styleFor(process.stderr).inColour,
    })
    .exitOverride()
    .helpCommand('help [COMMAND]', 'This page, or that of a command.')
  for (const command of commands) {
    const parser = program.command(command.name)
    if ('run' in command) add(command, parser, args, signal)
    else addGroup(command, parser, args, signal)
  }
  for (const parser of [program, ...program.commands.flatMap((each) => [each, ...each.commands])]) {
    parser.optionsGroup('Everywhere:').version(version, '-V, --version', 'The version.')
    parser.addHelpOption(new Option('-h, --help', 'This page.').helpGroup('Everywhere:'))
  }
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode !== 0)
      throw new UsageError(messageOf(error, commandsAt(args, commands)), { cause: error })
  }
}

function leavesOf(command: Command | CommandGroup): readonly Command[] {
  return 'run' in command ? [command] : command.commands
}

function addGroup(
  { summary, commands }: CommandGroup,
  parser: Parser,
  args: readonly string[],
  signal: AbortSignal,
): void {
  parser
    .usage(`${commands.map(({ name }) => name).join('|')}`)
    .description(summary)
    .helpCommand(false)
    .addHelpText('after', sections(commands.flatMap(({ examples }) => examples.slice(0, 1))))
  for (const command of commands) add(command, parser.command(command.name), args, signal)
}

function add(command: Command, parser: Parser, args: readonly string[], signal: AbortSignal): void {
  const { summary, usage, examples, flagGroups, maxFiles } = command
  parser
    .usage(usage.slice(usage.indexOf(`${command.name} `) + command.name.length + 1))
    .description(summary)
    .allowExcessArguments()
    .addHelpText('after', sections(examples))
  for (const { title, flags } of flagGroups) {
    for (const flag of flags) parser.addOption(option(flag, args).helpGroup(`${title}:`))
  }
  parser.action(async () => {
    const { args: files, options } = parser
    if (files.length > maxFiles) {
      throw new UsageError(`inlet ${usage}: ${files[maxFiles]} is one file too many.`)
    }
    const given = options.flatMap((each): [string, string][] => {
      const value = parser.getOptionValue(each.attributeName())
      return value === undefined ? [] : [[each.name(), String(value)]]
    })
    await command.run({ files, values: new Map(given), signal })
  })
}

function option({ name, short, value, doc, list, isPattern }: Flag, args: readonly string[]): Option {
  const long = `--${name}`
  const letter = short === undefined ? '' : `-${short}, `
  if (value === undefined) return new Option(letter + long, doc)
  return new Option(`${letter}${long} <${value}>`, doc).argParser((text, before?: string) => {
    if (isPattern) throw new UsageError(`${long} is not a flag of this command.`)
    // `-o -f raw`: the library would take `-f` as the file's name
    if (/^-./.test(text) && args.includes(text)) {
      throw new UsageError(
        `${letter}${long} needs a value before ${text}. One that starts so: ${long}=${text}.`,
      )
    }
    return list && before !== undefined ? `${before},${text}` : text
  })
}

/** Leaves hidden flags out of `--help`, but not out of the suggestions for unknown flags, as `hideHelp` does. */
function page(commands: readonly Command[]): Partial<Help> {
  const flags = commands.flatMap(({ flagGroups }) => flagGroups.flatMap((group) => group.flags))
  const hidden = new Set(flags.filter((flag) => flag.hidden).map(({ name }) => name))
  return {
    padWidth: () => FLAG_WIDTH,
    subcommandTerm: (parser) => `${parser.name()} ${parser.usage()}`,
    groupItems: (all, shown, groupOf) =>
      Help.prototype.groupItems(
        all,
        shown.filter((each) => !hidden.has(each.name())),
        groupOf,
      ),
    styleTitle: (text) => `\u001b[1;36m${text}\u001b[39;22m`,
    styleOptionTerm: (text) => `\u001b[32m${text}\u001b[39m`,
    styleSubcommandTerm: (text) => `\u001b[32m${text}\u001b[39m`,
  }
}

/** The end of a page: examples and exit codes. */
function sections(examples: readonly string[]): string {
  const codes = Object.entries(EXIT_CODES).map(([code, meaning]) => `  ${code.padStart(3)}  ${meaning}`)
  const shown = examples.map((example) => `  $ ${example}`)
  return ['', 'Examples:', ...shown, '', 'Exit codes:', ...codes].join('\n')
}

/** The commands among which the first words of a command line choose. */
function commandsAt(
  [first]: readonly string[],
  commands: readonly (Command | CommandGroup)[],
): readonly (Command | CommandGroup)[] {
  const given = commands.find(({ name }) => name === first)
  return given === undefined || 'run' in given ? commands : given.commands
}

/** The library's error in one line: `error: unknown option '--strid'\n(Did you mean --stride?)`. */
function messageOf(
  { code, message }: CommanderError,
  commands: readonly { readonly name: string }[],
): string {
  const [, given = ''] = /'(.*?)'/s.exec(message) ?? []
  const [advice = ''] = /(?<=\n\()Did you mean .*(?=\))/.exec(message) ?? []
  const names = commands.map(({ name }) => name).join(', ')
  switch (code) {
    case 'commander.help':
      return 'A command is needed.'
    case 'commander.unknownCommand':
      return `${given} is not a command. There are: ${names}.`
    case 'commander.unknownOption':
      return `${given} is not a flag of this command. ${advice}`.trimEnd()
    default:
      return message.replace('error: option', 'Option')
  }
}
