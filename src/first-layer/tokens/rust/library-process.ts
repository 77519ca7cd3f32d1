import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'
import { ProcessEnded, refusedFile } from './failures.js'
import { OPEN_MS } from './limits.js'
import type { Cancel, OpenWork, ProcessAnswer, ProcessJob, Result, TextWork } from './messages.js'
import { LIBRARY_THREADS } from './places.js'

interface Pending {
  resolve(result: Result): void
  reject(error: Error): void
}

/** The library's process for one tokenizer.json. It starts when it is needed, and again after it has ended. */
export class LibraryProcess {
  /** Milliseconds in which the file was opened last. */
  openedMs = 0
  readonly #pending = new Map<number, Pending>()
  #child: ChildProcess | undefined
  #ready: Promise<void> | undefined
  #nextJob = 1

  /**
   * @param json UTF-8
   * @param start starts a process of `rust-process.ts`
   */
  constructor(
    private readonly json: Uint8Array,
    private readonly start: () => ChildProcess = startProcess,
  ) {}

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  /** Starts the process and opens the file. @throws InletError `model_failed` for a file that the library cannot use */
  ready(): Promise<void> {
    if (this.#ready !== undefined) return this.#ready
    const ready = this.#open()
    this.#ready = ready
    ready.catch(() => {
      if (this.#ready === ready) this.#ready = undefined
    })
    return ready
  }

  /** Does one work, in a process that is ready. @param signal aborted: the result is not wanted, and may fail */
  send(work: TextWork, signal?: AbortSignal): Promise<Result> {
    return this.#send(work, signal)
  }

  /** Ends the process: what it is at work on fails with `error`. */
  end(error: Error): void {
    const child = this.#child
    this.#child = undefined
    this.#ready = undefined
    child?.kill('SIGKILL') // of no effect where it has ended
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  /** Opens the file, once more where something else may have ended the process meanwhile. */
  async #open(): Promise<void> {
    try {
      await this.#openOnce().catch((error) => {
        if (error instanceof ProcessEnded) return this.#openOnce()
        throw error
      })
    } catch (error) {
      throw error instanceof ProcessEnded ? refusedFile(error.message) : error
    }
  }

  async #openOnce(): Promise<void> {
    const began = performance.now()
    const overrun = `it is not open after ${OPEN_MS / 1000} s`
    const timer = setTimeout(() => this.end(refusedFile(overrun)), OPEN_MS)
    try {
      // It may lie in shared memory, which no process can be sent.
      await this.#send({ type: 'open', json: Uint8Array.from(this.json) })
    } finally {
      clearTimeout(timer)
    }
    this.openedMs = performance.now() - began
  }

  #send(work: OpenWork | TextWork, signal?: AbortSignal): Promise<Result> {
    const id = this.#nextJob++
    const child = this.#running()
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      child.send({ ...work, id } satisfies ProcessJob)
      signal?.addEventListener('abort', () => {
        if (this.#pending.has(id)) child.send({ type: 'cancel', id } satisfies Cancel)
      })
    }).then(
      (result) => result as Result,
      (error) => {
        if (work.type === 'open' && error instanceof LibraryError) throw refusedFile(error.message)
        throw error
      },
    )
  }

  #running(): ChildProcess {
    if (this.#child !== undefined) return this.#child
    const child = this.start()
    const lost = (error: Error) => this.#child === child && this.end(error)
    child.on('message', (answer: ProcessAnswer) => this.#take(answer))
    // The process could not be started, or a message could not be sent. Node does not promise that `exit` follows.
    child.on('error', ({ message }) => lost(new Error(`the library cannot be reached (${message})`)))
    child.on('exit', (code, signal) => lost(new ProcessEnded(`the library has ended (${signal ?? code})`)))
    this.#child = child
    return child
  }

  #take(answer: ProcessAnswer): void {
    const pending = this.#pending.get(answer.job)
    this.#pending.delete(answer.job)
    if ('result' in answer) pending?.resolve(answer.result)
    else pending?.reject(new LibraryError(answer.message))
  }
}

/** The library's own error. */
class LibraryError extends Error {}

function startProcess(): ChildProcess {
  return fork(fileURLToPath(packageFile('dist/rust-process.js')), [], {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(LIBRARY_THREADS) },
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
