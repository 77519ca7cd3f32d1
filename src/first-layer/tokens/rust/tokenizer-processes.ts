import { ProcessEnded } from './failures.js'
import { JobQueue } from './job-queue.js'
import { LibraryProcess } from './library-process.js'
import { type LibraryLimits, MOST_IDLE_PROCESSES, UNLIMITED } from './limits.js'
import type { Result, RustWork } from './messages.js'

/** A tokenizer.json, and how many `open` works have asked for it that no `close` has ended. */
interface OpenFile {
  readonly process: LibraryProcess
  readonly queue: JobQueue
  users: number
}

/** The tokenizers that are open, each in a process of its own: one never waits for another's texts. */
export class TokenizerProcesses {
  /** Those used last come last. */
  readonly #files = new Map<string, OpenFile>()

  /** @param processOf makes the process for a tokenizer.json */
  constructor(
    private readonly limits: LibraryLimits = UNLIMITED,
    private readonly processOf = (json: Uint8Array) => new LibraryProcess(json),
  ) {}

  /**
   * Does one work. Each `open` of a key that has not failed needs a `close`; with the last one the process ends.
   *
   * @param signal aborted: a work that has not begun yet is dropped, and fails
   * @throws InletError `model_failed` for a file that the library cannot use, or that ends it; or as `JobQueue.run`
   */
  async run(work: RustWork, signal?: AbortSignal): Promise<Result> {
    if (work.type === 'close') return this.#leave(work.key)
    if (work.type === 'open') return this.#enter(work.key, work.json)
    const file = this.#files.get(work.key)
    if (file === undefined) throw new Error(`No tokenizer is open under ${work.key}.`)
    this.#files.delete(work.key)
    this.#files.set(work.key, file)
    const { key, ...text } = work
    return file.queue.run(text, signal)
  }

  async #enter(key: string, json: Uint8Array): Promise<undefined> {
    let file = this.#files.get(key)
    if (file === undefined) {
      const process = this.processOf(json)
      file = { process, queue: new JobQueue(process, this.limits, () => this.#endIdle()), users: 0 }
      this.#files.set(key, file)
    }
    file.users++
    try {
      await file.process.ready()
    } catch (error) {
      this.#leave(key)
      throw error
    }
    this.#endIdle()
  }

  #leave(key: string): undefined {
    const file = this.#files.get(key)
    if (file === undefined || --file.users > 0) return
    this.#files.delete(key)
    file.process.end(new ProcessEnded('the tokenizer has been closed'))
  }

  #endIdle(): void {
    const idle = [...this.#files.values()].filter(({ process, queue }) => process.isRunning && queue.isIdle)
    for (const { process } of idle.slice(0, Math.max(0, idle.length - MOST_IDLE_PROCESSES)))
      process.end(new ProcessEnded('the tokenizer was at rest'))
  }
}
