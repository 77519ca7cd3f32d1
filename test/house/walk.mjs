#!/usr/bin/env node
// Counts the files of src that one warm request enters, by V8's precise coverage:
//   node test/house/walk.mjs [--list] [--path /health/live] [--body JSON]
// It runs dist/server.js in one thread with this same file loaded before it, which then sends the request from within.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread } from 'node:worker_threads'

const WARM = 5
const SMALL = JSON.stringify({ text: 'Hello, world! This is the first layer.', context_length: 4, stride: 4 })

/** Starts the service and gives file → number of calls for each of some requests: a POST, or a GET without a body. */
export async function walk(requests) {
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', THREADS: '1', LOG_LEVEL: 'info' }
  const args = ['--import', import.meta.url, fileURLToPath(new URL('../../dist/server.js', import.meta.url))]
  const service = spawn(process.execPath, args, {
    env: { ...env, WALK: JSON.stringify(requests) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [calls] = await Promise.race([
    once(service, 'message'),
    once(service, 'exit').then(([code]) => Promise.reject(new Error(`The service ended with ${code}.`))),
  ])
  service.kill('SIGKILL')
  return calls.map((ofOne) => {
    const files = new Map()
    for (const { url, start, count } of ofOne) {
      const file = fileAt(url, start)
      if (file !== undefined) files.set(file, (files.get(file) ?? 0) + count)
    }
    return files
  })
}

const starts = new Map()

/** The source file of a place in the bundle, which has a comment with the file's name before each file's code. */
function fileAt(url, start) {
  if (!url.includes('/dist/')) return undefined
  if (!starts.has(url)) {
    const text = readFileSync(fileURLToPath(url), 'utf8')
    starts.set(url, [...text.matchAll(/^\/\/(?:#region)? ?((?:src|node_modules|packages)\/\S+)/gm)])
  }
  const name = starts.get(url).findLast(({ index }) => index < start)?.[1]
  return name?.startsWith('node_modules/') ? undefined : name
}

/** In the service: sends each request some times, then once under coverage, and tells the parent what was called. */
async function trace(requests) {
  const port = await listening()
  while ((await send(port, '/health/ready')) !== 200) await new Promise((again) => setTimeout(again, 100))
  const calls = []
  for (const each of requests) calls.push(await callsOf(port, each))
  process.send(calls)
}

async function callsOf(port, { path, body }) {
  for (let i = 0; i < WARM; i++) await send(port, path, body)
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  const status = await send(port, path, body)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  if (status !== 200) throw new Error(`${path} was answered with ${status}.`)
  return result.flatMap(({ url, functions }) =>
    functions
      .filter(({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0)
      .map(({ ranges: [{ startOffset, count }] }) => ({ url, start: startOffset, count })),
  )
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
  const calls = [...files.values()].reduce((sum, each) => sum + each, 0)
  console.log(`${path}: ${files.size} files of src, ${calls} calls`)
}

export { SMALL }
