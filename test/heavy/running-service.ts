import '../built.js'
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** The built service as a separate process. */
export interface RunningService {
  readonly port: number
  /** The service's memory in bytes as the kernel counts it; undefined where there is no /proc. */
  memory(): number | undefined
  stop(): void
}

/** Starts `dist/server.js` on a free port, and waits until it is ready. */
export async function runService(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const server = spawn(process.execPath, ['dist/server.js'], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', THREADS: '1', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let log = ''
  server.stdout?.on('data', (bytes) => {
    if (log.length < 65_536) log += bytes
  })
  while (!log.includes('"ready"')) {
    if (server.exitCode !== null) throw new Error(`the service ended: ${log}`)
    await delay(20)
  }
  return {
    port: Number(/127\.0\.0\.1:(\d+)/.exec(log)?.[1]),
    memory: () => residentBytes(server),
    stop: () => void server.kill(),
  }
}

function residentBytes({ pid }: ChildProcess): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
  } catch {
    return undefined
  }
}
