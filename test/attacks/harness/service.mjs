import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../bench/harness/service.mjs'
import { call } from './calls.mjs'
import { endWithUs } from './keeper.mjs'

/** The build that is attacked: this checkout's, or another one's `dist/server.js`. */
export const SERVER =
  process.env.INLET_SERVER ?? fileURLToPath(new URL('../../../dist/server.js', import.meta.url))

if (!existsSync(SERVER)) {
  throw new Error(`There is no ${SERVER}: npm run build, or INLET_SERVER=/another/build/dist/server.js`)
}

/** The container sets it too: glibc gives freed memory back. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

const LOOK_MS = 20
const LOOK_PATIENCE_MS = 5000
/** On a machine that others share a start takes as long as it does: what is judged comes after it. */
const START_MS = 120_000

/**
 * Starts the service as a separate process and waits until all its threads serve; `atOnce`: does not wait.
 *
 * @param env its variables, beside a port, loopback, one thread and a ledger of 512 MiB; what is not given is absent
 * @param stdout its standard output: a file of its own that `log()` reads, or what `spawn` takes
 * @returns { port, pid, child, log, errors, exited, ended, call, stop, kill }
 */
export async function startService({ env = {}, stdout, atOnce = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-attack-'))
  const logFile = join(folder, 'log')
  const output = stdout ?? openSync(logFile, 'w')
  const port = await freePort()
  const variables = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    ...ALLOCATOR,
    THREADS: '1',
    MAX_BYTES_IN_FLIGHT: String(512 * 2 ** 20),
    ...env,
  }
  const child = spawn(process.execPath, [SERVER], { env: variables, stdio: ['ignore', output, 'pipe'] })
  endWithUs(child)
  if (typeof output === 'number' && stdout === undefined) closeSync(output)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    if (errors.length < 65_536) errors += chunk
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    const log = stdout === undefined ? tail(logFile) : ''
    rmSync(folder, { recursive: true, force: true })
    return { code, signal, log }
  })
  const service = {
    port,
    pid: child.pid,
    child,
    env: variables,
    exited,
    errors: () => errors,
    log: () => (stdout === undefined ? readFileSync(logFile, 'latin1') : ''),
    get ended() {
      return child.exitCode !== null || child.signalCode !== null
    },
    call: (request) => call(port, request),
    kill: () => child.kill('SIGKILL'),
    /** SIGTERM: { code, signal, ms } when it has ended; SIGKILL after `limitMs`, and `hung`. */
    async stop(limitMs = 30_000) {
      const started = performance.now()
      child.kill('SIGTERM')
      const ending = await Promise.race([exited, delay(limitMs, undefined, { ref: false })])
      if (ending === undefined) child.kill('SIGKILL')
      const { code, signal } = await exited
      return { code, signal, ms: performance.now() - started, hung: ending === undefined }
    },
  }
  if (!atOnce) await ready(service, stdout === undefined && variables.THREADS !== '1')
  return service
}

async function ready(service, awaitThreads) {
  const limit = performance.now() + START_MS
  for (;;) {
    const answer = await service.call({ path: '/health/ready', leaveAfterMs: LOOK_PATIENCE_MS })
    if (answer.status === 200 && (!awaitThreads || service.log().includes('all threads serve'))) return
    if (service.ended || performance.now() > limit) {
      service.kill()
      throw new Error(`the service did not start: ${service.errors()}`)
    }
    await delay(LOOK_MS)
  }
}

function tail(file) {
  return readFileSync(file, 'latin1').slice(-4096)
}
