#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { InletError } from '../errors.js'
import { packageFile } from '../first-layer/package-file.js'
import type { Command, FlagGroup } from './command.js'
import { embed } from './embed.js'
import { CommandError, FAILED, OK, UsageError } from './exit.js'
import { parseFlags } from './flags.js'
import { commandHelp, programHelp } from './help.js'
import { models } from './models.js'
import { pull } from './pull.js'
import { serve } from './serve.js'
import { styleFor } from './style.js'
import { tokenize } from './tokenize.js'
import { visible } from './visible.js'

const COMMANDS: readonly Command[] = [embed, tokenize, serve, pull, models]

const COMMON: FlagGroup = {
  title: 'Everywhere',
  flags: [
    { name: 'help', short: 'h', doc: 'This page.' },
    { name: 'version', short: 'V', doc: 'The version.' },
  ],
}

const interrupted = new AbortController()
let interruptCode = OK
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruptCode = 128 + constants.signals[signal] // the exit code that shells use for a signal
    if (interrupted.signal.aborted) process.exit(interruptCode)
    interrupted.abort()
  })
}

process.exitCode = await main(process.argv.slice(2))
if (process.exitCode !== OK || interrupted.signal.aborted) process.exit()

async function main(args: readonly string[]): Promise<number> {
  try {
    await runProgram(args)
    return OK
  } catch (error) {
    if (interrupted.signal.aborted) {
      process.stderr.write('\ninlet: interrupted\n')
      return interruptCode
    }
    const style = styleFor(process.stderr)
    if (error instanceof CommandError) {
      process.stderr.write(`${style.bad('inlet:')} ${visible(error.message)}\n`)
      if (error instanceof UsageError) process.stderr.write(`${style.dim('inlet --help says more.')}\n`)
      return error.exitCode
    }
    const { message, stack } = error as Error
    const text = error instanceof InletError ? visible(message) : visible(stack ?? message, '\n')
    process.stderr.write(`${style.bad('inlet:')} ${text}\n`)
    return FAILED
  }
}

async function runProgram(args: readonly string[]): Promise<void> {
  const [name, ...rest] = args
  const command = COMMANDS.find((each) => each.name === name)
  if (command === undefined) return runBare(args)
  const flags = [...command.flagGroups, COMMON].flatMap((group) => group.flags)
  const { files, values } = parseFlags(rest, flags)
  if (values.has('help')) return print(commandHelp(command, COMMON, styleFor(process.stdout)))
  if (values.has('version')) return print(`${version()}\n`)
  if (files.length > command.maxFiles) {
    throw new UsageError(`inlet ${command.usage}: ${files[command.maxFiles]} is one file too many.`)
  }
  await command.run({ files, values, signal: interrupted.signal })
}

/** Runs a command line without a command: `--help`, `--version`, or an error. */
function runBare(args: readonly string[]): void {
  const [name] = args
  if (name !== undefined && !name.startsWith('-')) {
    const names = COMMANDS.map((command) => command.name).join(', ')
    throw new UsageError(`${name} is not a command. There are: ${names}.`)
  }
  const { values } = parseFlags(args, COMMON.flags)
  if (values.has('version')) {
    print(`${version()}\n`)
    return
  }
  const page = programHelp(COMMANDS, COMMON, styleFor(process.stdout))
  if (!values.has('help')) {
    process.stderr.write(`${page}\n`)
    throw new UsageError('A command is needed.')
  }
  print(page)
}

function print(text: string): void {
  process.stdout.write(text)
}

function version(): string {
  const manifest = readFileSync(packageFile('package.json'), 'utf8')
  return `inlet ${JSON.parse(manifest).version}`
}
