import type { ApiKey } from '../api-keys.js'
import type { Config } from '../config.js'
import type { SelectedBackend } from '../embeddings/backends/select.js'
import type { ErrorCode } from '../errors.js'
import type { ModelAdmin } from '../models/admin.js'
import type { ModelEntry } from '../models/entry.js'

/** Memory that all threads of the process share, made by the first one. */
export interface SharedState {
  /** `Life`'s. */
  readonly life: SharedArrayBuffer
  /** `Ledger`'s. */
  readonly ledger: SharedArrayBuffer
}

/** What a thread is born with. */
export interface Birth {
  readonly config: Config
  /** Counts from 1; 0 is the process's first thread. */
  readonly thread: number
  readonly shared: SharedState
  /** The keys that are known at the moment. */
  readonly keys: readonly ApiKey[]
  /** Where log lines go. */
  readonly logDescriptor: number
}

/** A descriptor of the listening socket. */
export interface Listener {
  readonly fd: number
  /** Nobody else has it: the thread closes it when it stops or dies. */
  readonly isOwn: boolean
}

/** The metrics of all threads. */
export interface Scrape {
  /** By thread; undefined where one has never answered. */
  readonly threads: readonly (object[] | undefined)[]
  /** What threads counted that have ended. */
  readonly ended: object[]
  /** Threads that did not answer in time: their values are older. */
  readonly stale: readonly number[]
}

/** An error for the caller, on its way to the thread that answers it. */
export interface SentError {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
}

/** From the first thread to another. */
export type Order =
  /** Accept connections, over these models. Callers are told of the first thread's backend, whichever answers. */
  | {
      readonly type: 'serve'
      readonly models: readonly ModelEntry[]
      readonly backend: SelectedBackend
      readonly listener: Listener
    }
  /** A model is new, or another than before. Answered by `taken`, and by `drained`. */
  | { readonly type: 'put'; readonly id: number; readonly entry: ModelEntry }
  /** A model is gone. Answered as `put`. */
  | { readonly type: 'drop'; readonly id: number; readonly model: string }
  /** Answers an `ask`. */
  | { readonly type: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: SentError }
  /** The keys have changed. */
  | { readonly type: 'keys'; readonly keys: readonly ApiKey[] }
  /** The process has been told to stop: what is being answered is the last on its connection. */
  | { readonly type: 'drain' }
  /** Finish what runs. */
  | { readonly type: 'stop' }
  /** Asks for this thread's metrics. */
  | { readonly type: 'collect' }
  /** Answers a `scrape`. */
  | { readonly type: 'scraped'; readonly id: number; readonly scrape: Scrape }

export type AdminMethod = keyof ModelAdmin

/** From another thread to the first. */
export type Report =
  | { readonly type: 'serving' }
  | { readonly type: 'stopped' }
  /** What was told is known here: requests that begin from now on see it. */
  | { readonly type: 'taken'; readonly id: number }
  /** Nobody here reads any more what it supersedes. */
  | { readonly type: 'drained'; readonly id: number }
  /** Something is to be done to the models: a method of `ModelAdmin`. */
  | {
      readonly type: 'ask'
      readonly id: number
      readonly method: AdminMethod
      readonly args: readonly unknown[]
    }
  /** These models were used. */
  | { readonly type: 'used'; readonly models: readonly string[] }
  | { readonly type: 'collected'; readonly metrics: object[] }
  /** Asks for the metrics of all threads: somebody's `GET /metrics` came here. */
  | { readonly type: 'scrape'; readonly id: number }
