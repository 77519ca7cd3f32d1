import type { ApiKey } from '../api-keys.js'
import type { Config } from '../config.js'
import type { SharedModel } from '../embeddings/model.js'

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

/** From the first thread to another. */
export type Order =
  | { readonly type: 'serve'; readonly model: SharedModel; readonly listener: Listener }
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

/** From another thread to the first. */
export type Report =
  | { readonly type: 'serving' }
  | { readonly type: 'stopped' }
  | { readonly type: 'collected'; readonly metrics: object[] }
  /** Asks for the metrics of all threads: somebody's `GET /metrics` came here. */
  | { readonly type: 'scrape'; readonly id: number }
