import type { ResourceLimits } from 'node:worker_threads'
import type { SelectedBackend } from '../../first-layer/embeddings/backends/select.js'
import { packageFile } from '../../first-layer/package-file.js'
import type { ModelEntry } from '../../models/entry.js'
import { type Published, type Remote, type Rooms, startThread, Topics } from '../process/channel.js'
import type { Config } from '../process/config.js'
import type { ApiKey } from '../process/keys/api-keys.js'
import type { Certificate } from '../process/listening/certificate.js'
import type { Listener } from '../process/listening/listeners.js'

export interface WorkerData {
  readonly config: Config
  readonly thread: number
  /** Memory that all threads of the process share, made by the first one. */
  readonly shared: { readonly liveness: SharedArrayBuffer; readonly ledger: SharedArrayBuffer }
  readonly kept: readonly string[]
  /** The users' keys at the thread's start. */
  readonly keys: readonly ApiKey[]
  readonly certificate?: Certificate | undefined
}

export interface Serving {
  readonly models: readonly ModelEntry[]
  /** Every thread reports the first one's backend to callers. */
  readonly backend: SelectedBackend
  readonly listener: Listener
}

export interface ServingThread {
  /** Settles when it accepts connections. */
  serve(serving: Serving): Promise<void>
  metrics(): Promise<object[]>
  /** Settles when its running requests have finished. */
  stop(): Promise<void>
}

export interface StartOptions {
  workerData(thread: number): WorkerData
  readonly rooms: Rooms
  /** Called when one has ended that was not told to stop. */
  died(thread: number, cause: Error): void
  readonly script?: URL
  readonly resourceLimits?: ResourceLimits
}

/**
 * The process's threads, in the first one: each has its own event loop, accepts connections of the same address and serves
 * whole requests on the same tables. What is published goes to this thread's own handlers and to all other threads.
 */
export class Threads {
  readonly topics = new Topics()
  areStarted = false
  #others: readonly (Remote<ServingThread> & { publish(topic: string, value: unknown): Published })[] = []
  #isStopping = false

  /** @param count of all of them */
  constructor(readonly count: number) {}

  /** Starts the other threads. Settles when all of them serve. */
  async start(options: StartOptions, serving: Serving): Promise<void> {
    this.#others = Array.from({ length: this.count - 1 }, (_, i) => this.#started(i + 1, options))
    this.areStarted = true
    await Promise.all(this.#others.map((thread) => thread.serve(serving)))
  }

  /** Gives all threads a value; one that starts later does not get it. */
  publish(topic: string, value: unknown): Published {
    const here = this.topics.take(topic, value)
    const there = this.#others.map((thread) => thread.publish(topic, value))
    return {
      received: Promise.all(there.map(({ received }) => received)).then(() => {}),
      drained: Promise.all([here, ...there.map(({ drained }) => drained)]).then(() => {}),
    }
  }

  metrics(thread: number): Promise<object[]> | undefined {
    return this.#others[thread - 1]?.metrics()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all(this.#others.map((thread) => thread.stop()))
  }

  #started(thread: number, { workerData, rooms, died, ...options }: StartOptions) {
    const { script = packageFile('dist/worker.js'), resourceLimits } = options
    const { channel } = startThread(script, {
      ...{ workerData: workerData(thread), resourceLimits, rooms },
      ended: (cause) => {
        if (!this.#isStopping) died(thread, cause)
      },
    })
    const { serve, stop, metrics } = channel.room<ServingThread>('thread')
    return { serve, stop, metrics, publish: channel.publish.bind(channel) }
  }
}
