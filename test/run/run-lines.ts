import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Ended } from '../cli/run-command.js'
import { run } from '../cli/run-here.js'

/** A line of `inlet run` about a shard. */
export interface Line {
  readonly input: string
  readonly state: 'done' | 'kept' | 'failed'
  readonly error?: string
  readonly output: string
  readonly sha256: string
  readonly documents: number
  readonly tokens: number
  readonly bytes: number
}

/** Runs `inlet run` to its end. @returns its lines, by the inputs' names */
export async function runLines(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin: string | Uint8Array = '',
): Promise<Ended & { readonly lines: Line[] }> {
  // A thread takes as long to start as these files take.
  const threads = args.includes('--threads') ? [] : ['--threads', '1']
  const ended = await run(['run', ...args, ...threads], env, stdin)
  const lines: Line[] = ended.stdout
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  lines.sort((a, b) => (a.input < b.input ? -1 : 1))
  return { ...ended, lines }
}

/** All files below a folder with the SHA-256 of their bytes. */
export function filesIn(folder: string): Record<string, string> {
  const names = (readdirSync(folder, { recursive: true }) as string[]).sort()
  const files = names.filter((name) => statSync(join(folder, name)).isFile())
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(files.map((name) => [name, hash(name)]))
}
