import { parentPort, Worker } from 'node:worker_threads'
import { packageFile } from '../first-layer/package-file.js'
import type { Shard } from './shard.js'

/** A thread's messages: it is ready for its first shard, or cannot begin; bytes that it has read; a shard's end. */
type Message<Done> =
  | { readonly ready: true }
  | { readonly refused: string }
  | { readonly read: number }
  | { readonly ended: Done | { readonly error: string } }

/** What has become of a shard. */
export type Ended<Done> = { readonly shard: Shard; readonly seconds: number } & (
  | Done
  | { readonly error: string }
)

type DoShard<Done> = (shard: Shard, told: (bytes: number) => void) => Promise<Done>

/** In a thread: does one shard after the other. @param open called before the first one: what it throws refuses all */
export async function serveShards<Done>(open: () => Promise<DoShard<Done>> | DoShard<Done>): Promise<void> {
  const port = parentPort!
  const say = (message: Message<Done>) => port.postMessage(message)
  try {
    const doShard = await open()
    port.on('message', async (shard: Shard) => {
      const work = doShard(shard, (bytes) => say({ read: bytes }))
      say({ ended: await work.catch((error: Error) => ({ error: error.message })) })
    })
    say({ ready: true })
  } catch (error) {
    say({ refused: (error as Error).message })
  }
}

/** The threads were refused before the first shard. */
export class RecipeRefused extends Error {}

interface InThreads<Done> {
  /** The threads' file in `dist`, and the data that they are started with, beside their number `thread`. */
  readonly file: string
  readonly data: object
  readonly shards: readonly Shard[]
  /** Threads, each of which does one shard after the other. */
  readonly threads: number
  readonly signal: AbortSignal
  read(bytes: number): void
  ended(ended: Ended<Done>): void
}

/**
 * Does every shard in a thread, the largest first, so that threads end at about the same time. A shard that fails leaves the
 * others alone. Settles when all are done, or the signal has ended the threads.
 *
 * @throws RecipeRefused
 */
export async function inThreads<Done>(work: InThreads<Done>): Promise<void> {
  const { signal } = work
  const waiting = [...work.shards].sort((a, b) => b.bytes - a.bytes)
  const running = Array.from({ length: Math.min(work.threads, waiting.length) }, async (_, thread) => {
    while (waiting.length > 0 && !signal.aborted) await oneThread(thread, waiting, work)
  })
  const results = await Promise.allSettled(running)
  for (const result of results) if (result.status === 'rejected' && !signal.aborted) throw result.reason
}

/** Runs a thread until there is no shard left, or it ends: then another one takes the rest. */
function oneThread<Done>(
  thread: number,
  waiting: Shard[],
  { file, data, signal, read, ended }: InThreads<Done>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(packageFile(`dist/${file}`), { workerData: { ...data, thread }, stdin: true })
    let present: { readonly shard: Shard; readonly began: number } | undefined
    let cause: Error | undefined
    let isReady = false
    const end = (result: Done | { readonly error: string }) => {
      const { shard, began } = present!
      present = undefined
      ended({ shard, seconds: (performance.now() - began) / 1000, ...result })
    }
    const next = () => {
      const shard = signal.aborted ? undefined : waiting.shift()
      if (shard === undefined) return void worker.terminate()
      present = { shard, began: performance.now() }
      // Node makes standard input a pipe that does not wait, and a thread reads no such descriptor.
      if (shard.path === '-') process.stdin.on('error', fail).pipe(worker.stdin!)
      worker.postMessage(shard)
    }
    const stop = () => void worker.terminate()
    const fail = (error: Error) => {
      cause = error
      stop()
    }
    signal.addEventListener('abort', stop)
    worker.on('message', (message: Message<Done>) => {
      if ('read' in message) return read(message.read)
      if ('refused' in message) {
        waiting.length = 0
        reject(new RecipeRefused(message.refused))
        return stop()
      }
      isReady = true
      if ('ended' in message) end(message.ended)
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
