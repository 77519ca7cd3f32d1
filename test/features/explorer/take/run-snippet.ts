import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Snippet } from '../../../../src/features/explorer/page/take.js'
import { decodeNpy } from '../../../decode.js'

const run = promisify(execFile)

/** A snippet's result: its tensor's type and shape, and the bytes of its numbers. */
export interface Made {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: Buffer
}

/** Runs lines of a shell as they are printed, in a folder with the file that they read. */
export function runShell(snippet: Snippet, output: string, env: NodeJS.ProcessEnv = {}): Promise<Made> {
  return inFolder(snippet, async (folder, code) => {
    await run('bash', ['-c', `set -eu\n${code}`], { cwd: folder, env: { ...process.env, ...env } })
    return decodeNpy(await readFile(join(folder, `${output}.npy`)))
  })
}

async function inFolder<T>(snippet: Snippet, use: (folder: string, code: string) => Promise<T>): Promise<T> {
  if ('why' in snippet) throw new Error(snippet.why)
  const folder = await mkdtemp(join(tmpdir(), 'inlet-snippet-'))
  try {
    if (snippet.file !== undefined) await writeFile(join(folder, snippet.file.name), snippet.file.content)
    return await use(folder, snippet.code)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
