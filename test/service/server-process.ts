import '../built.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { until } from '../until.js'
import { leash } from './leash.js'

const SERVER = fileURLToPath(new URL('../../dist/server.js', import.meta.url))

/** How a service is started that sees at once that one of its files has changed. */
export const QUICK_WATCH: Start = {
  nodeArgs: ['--import', fileURLToPath(new URL('quick-watch.mjs', import.meta.url))],
}

/** Threads where either number must do: two, and one in the nightly run. */
export const THREADS = process.env.TEST_THREADS ?? '2'

/** The service as a separate process, built by `npm run build`. */
export interface ServerProcess {
  readonly child: ChildProcess
  /** The output so far. */
  readonly output: { log: string; errors: string }
  /** The port, as soon as it is open. */
  port(): Promise<number>
  /** The exit code; null if a signal ended it. */
  readonly exited: Promise<number | null>
  get(path: string): Promise<Response>
  ready(): Promise<void>
  /** The same, and all its threads. */
  allServe(): Promise<void>
  /** For the end of a test, whatever became of it. */
  kill(): void
}

/** How a process is started. */
export interface Start {
  /** Before the script. */
  readonly nodeArgs?: readonly string[]
  /** The target of its standard output: read here, unless it is a descriptor. */
  readonly stdout?: number
  /** The most file descriptors that it may have. Default: as many as this process. */
  readonly descriptors?: number
}

/**
 * Starts the service on a free port. Variables that are not given are absent, whatever this process has; a signal ends
 * it without a drain.
 */
export function startServer(
  env: Readonly<Record<string, string>> = {},
  { nodeArgs = [], stdout, descriptors }: Start = {},
): ServerProcess {
  const command = [process.execPath, ...nodeArgs, SERVER]
  const limited = ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...command]
  const [file, ...args] = descriptors === undefined ? command : limited
  const child = spawn(file, args, {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  leash(child)
  const output = { log: '', errors: '' }
  child.stdout?.on('data', (chunk) => (output.log += chunk))
  child.stderr?.on('data', (chunk) => (output.errors += chunk))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  const server: ServerProcess = {
    child,
    output,
    exited,
    async port() {
      const listening = /Server listening at https?:\/\/[^"]*:(\d+)/
      await until(() => listening.test(output.log) || child.exitCode !== null, 'the port')
      const port = listening.exec(output.log)?.[1]
      if (port === undefined) throw new Error(`the service did not start: ${output.errors}`)
      return Number(port)
    },
    get: async (path) => fetch(`http://127.0.0.1:${await server.port()}${path}`),
    async ready() {
      while ((await server.get('/health/ready')).status !== 200) await delay(20)
    },
    async allServe() {
      const all = () => output.log.includes('all threads serve')
      await until(() => all() || child.exitCode !== null, 'all threads to serve')
      if (!all()) throw new Error(`the service did not start: ${output.errors}`)
    },
    kill: () => child.kill('SIGKILL'),
  }
  return server
}
