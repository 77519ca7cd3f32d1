import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The Python that runs the blocks of a page. */
export const PYTHON = process.env.PYTHON ?? 'python3'

/** Why the blocks cannot be run here; undefined: they can. */
export function whyNoNumpy(): string | undefined {
  const hasNumpy = spawnSync(PYTHON, ['-c', 'import numpy']).status === 0
  return hasNumpy ? undefined : `${PYTHON} has no numpy: set PYTHON to one that has it`
}

export interface Block {
  readonly language: string
  readonly code: string
  /** The output that the page shows below it. */
  readonly shown: string | undefined
}

/** A page's blocks of `sh` and `python`, in order. */
export function blocksOf(page: string): readonly Block[] {
  return Array.from(
    readFileSync(page, 'utf8').matchAll(/```(sh|python)\n([\s\S]*?)```\n(?:\n```text\n([\s\S]*?)```)?/g),
    ([, language = '', code = '', shown]) => ({ language, code, shown }),
  )
}

/** Runs blocks of Python as one script, and returns the lines that each prints. */
export async function printed(blocks: readonly Block[], here: (code: string) => string): Promise<string[][]> {
  const marked = blocks.map(({ code }, index) => `print("block ${index}")\n${code}`)
  const env = { ...process.env, PYTHONPATH: 'clients/python/src' }
  const { stdout } = await run(PYTHON, ['-c', here(marked.join('\n'))], { env })
  const [, ...parts] = stdout.split(/^block \d+\n/m)
  return parts.map(linesOf)
}

export function linesOf(text: string): string[] {
  return text.trim().split('\n')
}
