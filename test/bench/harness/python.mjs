import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** `npm run bench:peers` puts its Python here. */
export const PEERS_VENV = join(tmpdir(), 'inlet-bench-python')

/**
 * A Python that has all of `modules`: `BENCH_PYTHON`, that of `npm run bench:peers`, or the system's.
 *
 * @returns { path, versions } or { absent: why }
 */
export function findPython(...modules) {
  const candidates = [process.env.BENCH_PYTHON, join(PEERS_VENV, 'bin', 'python'), 'python3']
  const script = `from importlib.metadata import version
import ${modules.join(', ')}
print(' '.join(version(name) for name in '${modules.join(' ')}'.split()))`
  for (const path of candidates) {
    if (!path || (path.includes('/') && !existsSync(path))) continue
    const { status, stdout } = spawnSync(path, ['-c', script], { encoding: 'utf8' })
    if (status !== 0) continue
    const versions = stdout.trim().split(' ')
    return { path, versions: Object.fromEntries(modules.map((name, i) => [name, versions[i]])) }
  }
  return { absent: `no Python with ${modules.join(', ')}: npm run bench:peers, or BENCH_PYTHON` }
}

/** The path of a script in `peers/`. */
export function peer(name) {
  return fileURLToPath(new URL(`../peers/${name}`, import.meta.url))
}

/** A Python process as {@link startLines}. */
export function startPython(path, script, args = [], env = {}) {
  return startLines(path, [peer(script), ...args], env)
}

/**
 * A process that answers one JSON line with one JSON line. Its first line means that it is ready.
 *
 * @throws Error with what the first line gives as `refused`
 */
export async function startLines(path, args, env = {}) {
  const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${args[0]} ended`)
    return JSON.parse(value)
  }
  const { refused } = await next()
  if (refused !== undefined) throw new Error(refused)
  return {
    ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`)
      return next()
    },
    stop: () => child.stdin.end(),
  }
}
