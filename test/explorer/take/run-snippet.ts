import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import type { Snippet } from '../../../src/explorer/take/taken.js'
import { decodeNpy } from '../../decode.js'

const INLET = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
const run = promisify(execFile)

/** What a snippet has made: its tensor's type and shape, and the bytes of its numbers. */
export interface Made {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly bytes: Buffer
}

/** Runs lines of a shell as they are printed, in a folder with the file that they read. `inlet` is on the path. */
export function runShell(snippet: Snippet, output: string, env: NodeJS.ProcessEnv = {}): Promise<Made> {
  return inFolder(snippet, async (folder, code) => {
    await writeFile(join(folder, 'inlet'), `#!/bin/sh\nexec '${process.execPath}' '${INLET}' "$@"\n`)
    await chmod(join(folder, 'inlet'), 0o755)
    const { INLET_URL: _, INLET_API_KEY: __, ...inherited } = process.env
    const path = `${folder}:${process.env.PATH}`
    await run('bash', ['-c', `set -eu\n${code}`], { cwd: folder, env: { ...inherited, PATH: path, ...env } })
    return decodeNpy(await readFile(join(folder, `${output}.npy`)))
  })
}

/** Runs lines of TypeScript as they are printed; a last one keeps what they have made. */
export function runTypeScript(snippet: Snippet, env: NodeJS.ProcessEnv = {}): Promise<Made> {
  return inFolder(snippet, async (folder, code) => {
    const kept =
      ";(await import('node:fs')).writeFileSync('made', array); console.log(JSON.stringify([array.constructor.name, shape]))"
    const { outputText } = ts.transpileModule(`${code}\n${kept}`, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    await writeFile(join(folder, 'snippet.mjs'), outputText)
    const { stdout } = await run(process.execPath, ['snippet.mjs'], {
      cwd: folder,
      env: { ...process.env, ...env },
    })
    const [type, shape] = JSON.parse(stdout.trim().split('\n').at(-1) as string)
    const dtype = type === 'Int32Array' ? 'int32' : 'float32'
    return { dtype, shape, bytes: await readFile(join(folder, 'made')) }
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
