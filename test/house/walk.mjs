#!/usr/bin/env node
// Counts the files of src that one warm request enters, and the calls it makes, by V8's precise coverage:
//   node test/house/walk.mjs [--list] [--path /health/live] [--body JSON]
// It runs build/src/server.js, one module a source file as `npm run build:modules` makes them, in one thread, with this
// same file loaded before it, which then sends the request from within. Functions without a name count too.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread } from 'node:worker_threads'

const WARM = 5
/** What timers do beside the request is in some rounds only, and does not count. */
const ROUNDS = 5
const SMALL = JSON.stringify({ text: 'Hello, world! This is the first layer.', context_length: 4, stride: 4 })
const ROOT = new URL('../../', import.meta.url)

/** Starts the service and gives file → number of calls for each of some requests: a POST, or a GET without a body. */
export async function walk(requests) {
  const cwd = fileURLToPath(ROOT)
  // As `npm run build:modules`, which checks types too.
  const tsc = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck']
  execFileSync(process.execPath, tsc, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', THREADS: '1', LOG_LEVEL: 'info' }
  const service = spawn(process.execPath, ['--import', import.meta.url, 'build/src/server.js'], {
    ...{ cwd, env: { ...env, WALK: JSON.stringify(requests) } },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [calls] = await Promise.race([
    once(service, 'message'),
    once(service, 'exit').then(([code]) => Promise.reject(new Error(`The service ended with ${code}.`))),
  ])
  service.kill('SIGKILL')
  return calls.map((ofOne) => {
    const files = new Map()
    for (const [place, count] of ofOne) {
      const file = place.slice(0, place.lastIndexOf(':')).replace(/\.js$/, '.ts')
      files.set(file, (files.get(file) ?? 0) + count)
    }
    return files
  })
}

/** In the service: sends each request some times, then under coverage, and tells the parent what was called. */
async function trace(requests) {
  const port = await listening()
  while ((await send(port, '/health/ready')) !== 200) await new Promise((again) => setTimeout(again, 100))
  const calls = []
  for (const each of requests) calls.push(await callsOf(port, each))
  process.send(calls)
}

/** Function, by its file and place → the fewest calls of one request; those that one request made without are left out. */
async function callsOf(port, { path, body }) {
  for (let i = 0; i < WARM; i++) await send(port, path, body)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) {
    await session.post('Profiler.takePreciseCoverage')
    const status = await send(port, path, body)
    if (status !== 200) throw new Error(`${path} was answered with ${status}.`)
    await new Promise((goOn) => setTimeout(goOn, 50)) // the log line and the counters come after the last byte
    const { result } = await session.post('Profiler.takePreciseCoverage')
    rounds.push(new Map(result.flatMap(calledIn)))
  }
  session.disconnect()
  const [first, ...others] = rounds
  return [...first]
    .filter(([place]) => others.every((round) => round.has(place)))
    .map(([place, count]) => [place, Math.min(count, ...others.map((round) => round.get(place)))])
}

/** A module's functions that were called; the first is the module itself. */
function calledIn({ url, functions }) {
  const root = new URL('build/', ROOT).href
  if (!url.startsWith(root)) return []
  return functions
    .filter(({ ranges: [{ startOffset, count }] }) => count > 0 && startOffset > 0)
    .map(({ ranges: [{ startOffset, count }] }) => [`${url.slice(root.length)}:${startOffset}`, count])
}

/** The port that the service listens on. */
async function listening() {
  const { Server } = await import('node:net')
  const { listen } = Server.prototype
  return new Promise((found) => {
    Server.prototype.listen = function (...args) {
      this.once('listening', () => found(this.address().port))
      return listen.apply(this, args)
    }
  })
}

/** @returns the status, when the whole answer has arrived */
function send(port, path, body) {
  const method = body === undefined ? 'GET' : 'POST'
  const headers =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode))
    })
    sent.on('error', reject).end(body)
  })
}

const sum = (files) => [...files.values()].reduce((all, each) => all + each, 0)

if (process.env.WALK !== undefined && isMainThread && process.send !== undefined) {
  trace(JSON.parse(process.env.WALK)).catch((error) => {
    console.error(error)
    process.exit(1)
  })
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { list: { type: 'boolean' }, path: { type: 'string' }, body: { type: 'string' } },
  })
  const { path = '/v1/input-embeddings', list } = values
  const body = values.body ?? (values.path === undefined ? SMALL : undefined)
  const [files] = await walk([{ path, body }])
  if (list)
    for (const [file, calls] of [...files].sort()) console.log(`${String(calls).padStart(5)}  ${file}`)
  console.log(`${path}: ${files.size} files of src, ${sum(files)} calls`)
}

export { SMALL, sum }
