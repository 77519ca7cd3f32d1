import type { ModelEntry } from './entry.js'

/** The libraries of all threads, as the keeper tells them what there is. */
export interface Threads {
  /** How many threads need scratch space in each model's memory. */
  readonly count: number
  /** Settles when every thread has taken it in; `drained` when none reads the version any more that it supersedes. */
  put(entry: ModelEntry): Promise<Drained>
  /** Settles when no thread has it any more; `drained` when none reads it any more. */
  drop(id: string): Promise<Drained>
}

export interface Drained {
  readonly drained: Promise<void>
}
