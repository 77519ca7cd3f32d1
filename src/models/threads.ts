import type { ModelEntry } from './entry.js'

/** The keeper's way to tell the libraries of all threads which models there are. */
export interface Threads {
  /** How many threads need scratch space in each model's memory. */
  readonly count: number
  /**
   * Settles when every thread has taken the entry in; `drained` settles when no thread reads the superseded
   * version.
   */
  put(entry: ModelEntry): Promise<Drained>
  /** Settles when every thread has dropped the model; `drained` settles when no thread reads it any more. */
  drop(id: string): Promise<Drained>
}

export interface Drained {
  readonly drained: Promise<void>
}
