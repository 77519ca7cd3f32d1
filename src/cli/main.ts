#!/usr/bin/env node
import { constants } from 'node:os'
import { packageVersion } from '../first-layer/package-file.js'
import { check } from './check.js'
import { dataset } from './dataset.js'
import { embed } from './embed.js'
import { merge } from './merge.js'
import { models } from './models.js'
import {
  type Command,
  CommandError,
  type CommandGroup,
  FAILED,
  OK,
  runProgram,
  UsageError,
} from './program.js'
import { pull } from './pull.js'
import { run } from './run.js'
import { serve } from './serve.js'
import { styleFor, visible } from './terminal.js'
import { tokenize } from './tokenize.js'
import { trainTokenizer } from './train-tokenizer.js'

const COMMANDS: readonly (Command | CommandGroup)[] = [
  embed,
  tokenize,
  trainTokenizer,
  check,
  run,
  merge,
  serve,
  pull,
  models,
  dataset,
]

// `inlet models | head`: a reader that has enough ends a list; work whose exit code counts goes on without output
const goesOn = ['run', 'check'].includes(process.argv[2] ?? '')
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' && !goesOn) process.exit(OK)
  })

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
    await runProgram(args, COMMANDS, `inlet ${packageVersion()}`, interrupted.signal)
    return OK
  } catch (error) {
    if (interrupted.signal.aborted) {
      process.stderr.write('\ninlet: interrupted\n')
      return interruptCode
    }
    const style = styleFor(process.stderr)
    const { message, stack = message } = error as Error
    const isMistake = error instanceof TypeError || error instanceof ReferenceError // of this program
    process.stderr.write(`${style.bad('inlet:')} ${isMistake ? visible(stack, '\n') : visible(message)}\n`)
    if (error instanceof UsageError) process.stderr.write(`${style.dim('For more: inlet --help')}\n`)
    return error instanceof CommandError ? error.exitCode : FAILED
  }
}
