import '../built.js'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

export const SAMPLE = fileURLToPath(new URL('../../docs/sample.txt', import.meta.url))

/** The end of a command. */
export interface Ended {
  /** `null` where a signal killed it instead of being answered. */
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** The text on stderr so far. */
  stderr(): string
  readonly ended: Promise<Ended>
}

export type Env = Readonly<Record<string, string>>

/** Starts `inlet` over small tables, untouched by what the shell of the tests has set. */
export function start(args: readonly string[], env: Env = {}, cwd?: string): Running {
  const { INLET_URL: _, INLET_API_KEY: __, FORCE_COLOR: ___, ...inherited } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...inherited, NO_COLOR: '1', LOG_LEVEL: 'silent', EMBEDDING_DIM: '8', ...env },
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk) => stdout.push(chunk))
  child.stderr.on('data', (chunk) => stderr.push(chunk))
  child.stdin.on('error', () => {}) // a command that refuses does not read its text
  const errors = () => Buffer.concat(stderr).toString()
  const ended = once(child, 'close').then(([code]) => ({
    code,
    stdout: Buffer.concat(stdout),
    stderr: errors(),
  }))
  return { child, stderr: errors, ended }
}

/** Runs `inlet` to its end as a process, with `stdin` as its text; `run-here.ts` runs it much sooner. */
export function runBuilt(
  args: readonly string[],
  env: Env = {},
  stdin: string | Uint8Array = '',
  cwd?: string,
): Promise<Ended> {
  const { child, ended } = start(args, env, cwd)
  child.stdin.end(stdin)
  return ended
}

/** A folder for one test. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'inlet-cli-'))
  try {
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
