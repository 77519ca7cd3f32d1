import type { DataFolder } from '../../features/datasets/data-folder.js'
import type { SelectedBackend } from '../../first-layer/embeddings/backends/select.js'
import type { ModelEntry } from '../models/entry.js'
import type { Certificate } from '../process/listening/certificate.js'
import type { ApiKey } from '../request/callers/api-keys.js'
import type { SentError } from './sent-errors.js'

/** Memory that all threads of the process share, made by the first one. */
interface SharedState {
  readonly liveness: SharedArrayBuffer
  readonly ledger: SharedArrayBuffer
}

/** The data that a thread is started with. */
export interface WorkerData<Config = unknown> {
  readonly config: Config
  /** Where datasets are; absent: there are no routes of datasets. */
  readonly dataFolder?: DataFolder | undefined
  /** The thread's number, from 1; 0 is the process's first thread. */
  readonly thread: number
  readonly shared: SharedState
  /** The users' keys at the thread's start. */
  readonly keys: readonly ApiKey[]
  /** Present where callers speak TLS. */
  readonly certificate?: Certificate | undefined
  /** The most connections of a thread. */
  readonly maxConnections: number
}

/** The metrics of all threads. */
export interface Scrape {
  /** The values of each thread, by its number; undefined where the thread has never answered. */
  readonly threads: readonly (object[] | undefined)[]
  /** Numbers of the threads that did not answer in time: their values are older. */
  readonly stale: readonly number[]
}

/** Whose methods threads call: `ModelAdmin`, `DatasetAdmin`, `LearningAdmin`, `TokenizerLibrary`. */
export type CallRoom = 'models' | 'datasets' | 'learning' | 'tokenizers'

/** From the first thread to another. */
export type Order =
  /** Accept connections, with these models. Every thread reports the first one's backend to callers. */
  | {
      readonly type: 'serve'
      readonly models: readonly ModelEntry[]
      readonly backend: SelectedBackend
      /** The descriptor of the listening socket; only the first thread closes it. */
      readonly listener: number
    }
  /** A model is new or has changed. Answered by `taken`, and by `drained`. */
  | { readonly type: 'put'; readonly id: number; readonly entry: ModelEntry }
  /** A model is gone. Answered as `put`. */
  | { readonly type: 'drop'; readonly id: number; readonly model: string }
  /** A dataset has been deleted. Answered as `put`. */
  | { readonly type: 'forget'; readonly id: number; readonly dataset: string }
  /** Answers a `call`. */
  | { readonly type: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: SentError }
  /** The keys have changed. */
  | { readonly type: 'keys'; readonly keys: readonly ApiKey[] }
  /** The certificate has changed. */
  | { readonly type: 'certificate'; readonly certificate: Certificate }
  /** Finish the running requests, and stop. Answered by `stopped`. */
  | { readonly type: 'stop' }
  /** Asks for this thread's metrics. Answered by `collected`. */
  | { readonly type: 'collect' }
  /** Answers a `scrape`. */
  | { readonly type: 'scraped'; readonly id: number; readonly scrape: Scrape }

/** From another thread to the first. */
export type Report =
  | { readonly type: 'serving' }
  | { readonly type: 'stopped' }
  /** The thread has carried out `put` or `drop`: requests that begin from now on see it. */
  | { readonly type: 'taken'; readonly id: number }
  /** No request of this thread still reads the tables that the `put` or `drop` replaced. */
  | { readonly type: 'drained'; readonly id: number }
  /** Calls a method of the first thread's. Answered by `answer`. */
  | {
      readonly type: 'call'
      readonly id: number
      readonly room: CallRoom
      readonly method: string
      readonly args: readonly unknown[]
    }
  /** Requests of this thread used these models. */
  | { readonly type: 'used'; readonly models: readonly string[] }
  | { readonly type: 'collected'; readonly metrics: object[] }
  /** Asks for the metrics of all threads, for a `GET /metrics` that reached this thread. Answered by `scraped`. */
  | { readonly type: 'scrape'; readonly id: number }
