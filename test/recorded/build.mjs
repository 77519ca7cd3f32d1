import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { endWithUs } from '../attacks/harness/keeper.mjs'
import { freePort } from '../bench/harness/service.mjs'
import { Sender } from './sender.mjs'

const LOOK_MS = 25
const START_MS = 60_000
const STOP_MS = 10_000

/**
 * Starts a build's service on loopback and waits until it is ready.
 *
 * @param folder a checkout with `dist/`
 * @param env the variables of the configuration
 * @param ready false: waits for `/health/live` only, for models that are never ready
 * @returns { port, send(request), signal(name), stop() }
 */
export async function startBuild(folder, env, { ready = true } = {}) {
  const port = await freePort()
  const variables = {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    THREADS: '1',
    LOG_LEVEL: 'silent',
    DRAIN_SECONDS: '0',
    MAX_BYTES_IN_FLIGHT: String(512 * 2 ** 20),
    MAX_TABLE_BYTES: String(512 * 2 ** 20),
    ...env,
  }
  const child = endWithUs(
    spawn(process.execPath, [join(folder, 'dist/server.js')], {
      env: variables,
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  )
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const exited = once(child, 'exit')
  const sender = new Sender(port)
  await untilReady(sender, child, ready ? '/health/ready' : '/health/live', () => errors)
  return {
    port,
    files: bundledFiles(folder),
    send: (request) => sender.send(request),
    signal: (name) => child.kill(name),
    async stop() {
      sender.close()
      child.kill('SIGTERM')
      const ended = await Promise.race([exited, delay(STOP_MS, undefined, { ref: false })])
      if (ended === undefined) child.kill('SIGKILL')
      await exited
    },
  }
}

async function untilReady(sender, child, path, errors) {
  const limit = performance.now() + START_MS
  for (;;) {
    const [answer] = await sender.send({ method: 'GET', path })
    if (answer?.status === 200) return
    if (child.exitCode !== null || performance.now() > limit) {
      child.kill('SIGKILL')
      throw new Error(`the service did not start: ${errors()}`)
    }
    await delay(LOOK_MS)
  }
}

/** The explorer's files, whose names end with a hash: `explorer.js` → `/explorer/explorer-BKRdc485.js`. */
function bundledFiles(folder) {
  const names = readdirSync(join(folder, 'dist/explorer')).filter((name) => /-[\w-]{8}\.(js|css)$/.test(name))
  return Object.fromEntries(names.map((name) => [withoutHash(name), `/explorer/${name}`]))
}

const withoutHash = (name) => name.replace(/-[\w-]{8}(\.\w+)$/, '$1')
