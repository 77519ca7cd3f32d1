import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('../../../dist/server.js', import.meta.url))
const HOST = '127.0.0.1'
const LOOK_MS = 20

/** A port that is free at this moment. */
export async function freePort() {
  const server = createServer().listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/**
 * Starts a server and waits until it answers `path` with 200.
 *
 * @param start port → { command, args, env, stdio }
 * @returns { url, child, stop }
 */
export async function startServer(start, path) {
  const port = await freePort()
  const url = `http://${HOST}:${port}`
  const { command, args, env = {}, stdio = ['ignore', 'ignore', 'inherit'] } = start(port)
  const child = spawn(command, args, { stdio, env: { ...process.env, ...env } })
  let ended = false
  child.once('exit', () => {
    ended = true
  })
  while (!(await answers(`${url}${path}`))) {
    if (ended) throw new Error(`${command} ${args.join(' ')} ended before it was ready`)
    await setTimeout(LOOK_MS)
  }
  return {
    url,
    child,
    async stop() {
      if (ended) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

async function answers(url) {
  try {
    return (await fetch(url)).ok
  } catch {
    return false
  }
}

/** The service as it is built, quiet: its rivals write no line a request either. */
export function startService({ env = {}, args = [], stdio } = {}) {
  return startServer(
    (port) => ({
      command: process.execPath,
      args: [...args, SERVER],
      env: { HOST, PORT: String(port), LOG_LEVEL: 'warn', TF_BACKEND: 'cpu', DRAIN_SECONDS: '0', ...env },
      stdio,
    }),
    '/health/ready',
  )
}
