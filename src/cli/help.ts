import type { Command, FlagGroup } from './command.js'
import { EXIT_CODES } from './exit.js'
import type { Flag } from './flags.js'
import type { Style } from './style.js'

/** Column where a flag's description starts, and the width of a line. */
const INDENT = 32
const WIDTH = 100

/** The page of `inlet --help`. */
export function programHelp(commands: readonly Command[], common: FlagGroup, style: Style): string {
  const rows = commands.map(({ usage, summary }) => row(usage, summary, style))
  return [
    `${style.bold('inlet')}  The first layer of a language model: text in, input embeddings out,`,
    '       bit for bit as PyTorch makes them.',
    '',
    heading('Commands', style),
    ...rows,
    '',
    ...group(common, style),
    '',
    ...examples(
      commands.flatMap((command) => command.examples.slice(0, 1)),
      style,
    ),
    '',
    ...exitCodes(style),
    '',
    `${style.dim('inlet COMMAND --help says more.')}`,
    '',
  ].join('\n')
}

/** The page of `inlet COMMAND --help`. */
export function commandHelp(command: Command, common: FlagGroup, style: Style): string {
  return [
    `${style.bold(`inlet ${command.usage}`)}`,
    ...wrapped(command.summary, WIDTH),
    '',
    ...examples(command.examples, style),
    '',
    ...[...command.flagGroups, common].flatMap((each) => [...group(each, style), '']),
    ...exitCodes(style),
    '',
  ].join('\n')
}

function heading(text: string, style: Style): string {
  return style.bold(style.accent(text))
}

function group({ title, flags }: FlagGroup, style: Style): string[] {
  const shown = flags.filter(({ hidden }) => !hidden)
  return [heading(title, style), ...shown.map((flag) => row(flagText(flag), flag.doc, style))]
}

function flagText({ name, short, value }: Flag): string {
  const start = short === undefined ? '    ' : `-${short}, `
  return `${start}--${name}${value === undefined ? '' : ` ${value}`}`
}

function examples(lines: readonly string[], style: Style): string[] {
  return [heading('Examples', style), ...lines.map((line) => `  ${style.dim('$')} ${line}`)]
}

function exitCodes(style: Style): string[] {
  const lines = Object.entries(EXIT_CODES).map(([code, meaning]) => row(code.padStart(3), meaning, style, 8))
  return [heading('Exit codes', style), ...lines]
}

/** `  --stride N      Step between …`, wrapped; a left side that is too long gets its own line. */
function row(left: string, doc: string, style: Style, indent = INDENT): string {
  const lines = wrapped(doc, WIDTH - indent)
  const start = `  ${left}`
  const shown = `  ${style.good(left)}`
  const rest = lines.map((line) => `${' '.repeat(indent)}${line}`)
  if (start.length + 2 > indent) return [shown, ...rest].join('\n')
  return [shown + ' '.repeat(indent - start.length) + lines[0], ...rest.slice(1)].join('\n')
}

function wrapped(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!
    if (line !== '' && line.length + 1 + word.length > width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
