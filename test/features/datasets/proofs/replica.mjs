import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithUs } from '../../../attacks/harness/keeper.mjs'
import { SERVER } from '../../../attacks/harness/service.mjs'

const PATIENCE_MS = 60_000
const LOOK_MS = 20

/** A service on this port and DATA_DIR, one of several; the process, when it is ready. */
export async function startReplica(port, dataDir, env = {}) {
  const child = spawn(process.execPath, [SERVER], {
    env: {
      ...{ PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), DATA_DIR: dataDir },
      ...{ THREADS: '1', LOG_LEVEL: 'warn', ...env },
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  endWithUs(child)
  const started = performance.now()
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return child
    if (child.exitCode !== null || performance.now() - started > PATIENCE_MS)
      throw new Error('a replica did not start')
    await delay(LOOK_MS)
  }
}
