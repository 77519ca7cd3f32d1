import type { Config } from '../config.js'
import type { SharedModel } from '../embeddings/model.js'

/** What a thread is born with. */
export interface Birth {
  readonly config: Config
  /** Counts from 1; 0 is the process's first thread. */
  readonly thread: number
  /** Descriptor of the listening socket, which all threads accept from. */
  readonly listenFd: number
}

/** From the first thread to another. */
export type Order =
  | { readonly type: 'serve'; readonly model: SharedModel }
  | { readonly type: 'stop' }
  /** Asks for this thread's metrics. */
  | { readonly type: 'collect'; readonly id: number }
  /** Answers a `scrape`: the metrics of all threads. */
  | { readonly type: 'scraped'; readonly id: number; readonly metrics: readonly object[][] }

/** From another thread to the first. */
export type Report =
  | { readonly type: 'serving' }
  | { readonly type: 'stopped' }
  | { readonly type: 'collected'; readonly id: number; readonly metrics: object[] }
  /** Asks for the metrics of all threads: somebody's `GET /metrics` came here. */
  | { readonly type: 'scrape'; readonly id: number }
