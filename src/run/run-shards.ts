import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import { FOLDER } from '../corpus/folders.js'
import { makeFolder, removeAbandoned, removeOwn } from '../files/aside.js'
import { packageFile } from '../first-layer/package-file.js'
import { isLocation } from './objects/location.js'
import { VALIDATION } from './recipe.js'
import type { DoneShard, ThreadData, ThreadMessage } from './run-thread.js'
import type { Shard } from './shard.js'

export type EndedShard = { readonly shard: Shard; readonly seconds: number } & (
  | DoneShard
  | { readonly error: string }
)

interface RunOptions extends Omit<ThreadData, 'thread' | 'staging'> {
  readonly shards: readonly Shard[]
  /** Threads, each of which does one shard after the other. */
  readonly threads: number
  readonly signal: AbortSignal
  read(bytes: number): void
  ended(ended: EndedShard): void
}

export class RecipeRefused extends Error {}

/**
 * Makes the output of every shard, the largest first, so that threads end at about the same time. A shard that fails
 * leaves the others alone.
 *
 * @throws RecipeRefused before the first shard; the signal's reason
 */
export async function runShards(options: RunOptions): Promise<void> {
  const { out, signal } = options
  if (!isLocation(out)) return runInFolder(options)
  const staging = await mkdtemp(join(tmpdir(), 'inlet-run-'))
  try {
    await runAll(options, staging)
    signal.throwIfAborted()
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

async function runInFolder(options: RunOptions): Promise<void> {
  const { out, recipe, signal } = options
  const outs = recipe.validation === undefined ? [out] : [out, join(out, VALIDATION)]
  const folders = outs.flatMap((each) => [each, join(each, FOLDER)])
  for (const each of outs) await makeFolder(join(each, FOLDER))
  for (const folder of folders) await removeAbandoned(folder, () => {})
  try {
    await runAll(options)
  } finally {
    if (signal.aborted) for (const folder of folders) await removeOwn(folder)
  }
  signal.throwIfAborted()
}

async function runAll(
  { out, recipe, shared, signal, ...options }: RunOptions,
  staging?: string,
): Promise<void> {
  const waiting = [...options.shards].sort((a, b) => b.bytes - a.bytes)
  const threads = Math.min(options.threads, waiting.length)
  const running = Array.from({ length: threads }, async (_, thread) => {
    const data = { out, staging, recipe, shared, thread }
    while (waiting.length > 0 && !signal.aborted) await oneThread(data, waiting, signal, options)
  })
  const results = await Promise.allSettled(running)
  if (signal.aborted) return
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Runs a thread until there is no shard left, or it ends: then another one takes the rest. */
function oneThread(
  data: ThreadData,
  waiting: Shard[],
  signal: AbortSignal,
  { read, ended }: Pick<RunOptions, 'read' | 'ended'>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(packageFile('dist/run-thread.js'), { workerData: data, stdin: true })
    let present: { readonly shard: Shard; readonly began: number } | undefined
    let cause: Error | undefined
    let isReady = false
    const end = (result: DoneShard | { readonly error: string }) => {
      const { shard, began } = present!
      present = undefined
      ended({ shard, seconds: (performance.now() - began) / 1000, ...result })
    }
    const next = () => {
      const shard = signal.aborted ? undefined : waiting.shift()
      if (shard === undefined) return void worker.terminate()
      present = { shard, began: performance.now() }
      if (shard.path === '-') passStdin(worker.stdin!, fail)
      worker.postMessage(shard)
    }
    const stop = () => void worker.terminate()
    const fail = (error: Error) => {
      cause = error
      stop()
    }
    signal.addEventListener('abort', stop)
    worker.on('message', (message: ThreadMessage) => {
      if (message.type === 'read') return read(message.bytes)
      if (message.type === 'refused') {
        waiting.length = 0
        reject(new RecipeRefused(message.message))
        return stop()
      }
      isReady = true
      if (message.type === 'done') end(message)
      if (message.type === 'failed') end({ error: message.message })
      next()
    })
    worker.on('error', fail)
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', stop)
      const reason = cause ?? new Error(`The thread ended with ${code}.`)
      if (!isReady) reject(reason) // it would end so again
      if (present !== undefined && !signal.aborted) end({ error: reason.message })
      resolve()
    })
  })
}

/** Passes standard input on: Node makes its pipe one that does not wait, and a thread reads no such descriptor. */
function passStdin(to: Writable, fail: (error: Error) => void): void {
  process.stdin.on('error', fail).pipe(to)
}
