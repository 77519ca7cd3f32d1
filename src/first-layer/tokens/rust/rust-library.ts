import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { InletError } from '../../errors.js'
import { packageFile } from '../../package-file.js'
import type { Encoded, FileJob, ProcessAnswer, ProcessJob, Result, RustWork } from './messages.js'

/** Works at once. */
const LIBRARY_THREADS = Math.min(4, availableParallelism()) + 1
/** Most bytes of the texts at work at once: the library holds some hundred bytes for each. One text may have them all. */
export const MOST_BYTES_AT_WORK = 1 << 21
/** Most bytes of the texts that wait, with their lists of special tokens: as many as the library encodes in a few seconds. */
export const MOST_BYTES_WAITING = 1 << 23
/** Bytes that a work counts for besides its text's. */
const WORK_BYTES = 1 << 10
/** Bytes that a literal of a list counts for besides its letters. */
const LITERAL_BYTES = 16
/** Most bytes of the tokenizer.json that are open, beyond which another process begins. One may be longer. */
export const MOST_BYTES_OPEN = 1 << 28
/** Memory of the process, besides 64 bytes for each of the open files', beyond which another one begins. */
export const MOST_PROCESS_BYTES = 1 << 30
const PROCESS_BYTES_PER_BYTE_OPEN = 64

/** The time of one text, beside twice the time in which its file was opened: so much, and more for each byte or id. */
export const TEXT_MS = 5000
export const TEXT_MICROSECONDS_PER_BYTE = 20
/** The time in which a tokenizer.json must be opened. */
export const OPEN_MS = 60_000

/** Longer messages of the library are cut: some quote the text. */
const MOST_CHARACTERS = 300

/** Runs the Rust library: in this thread's own process, or the first thread's by a call. */
export interface TokenizerLibrary {
  /**
   * Does one work.
   *
   * @throws InletError `model_failed` by `open`, for a file that the library cannot use; `tokenizer_unavailable` for a
   * text, ids or a file that it gives up, that takes too long, or that ends its process; `overloaded`
   */
  run(work: RustWork): Promise<Result>
  /** Takes a work that waits off the queue: its caller has left. */
  leave(ticket: string): void | Promise<void>
}

interface Asked {
  resolve(result: Result): void
  reject(error: Error): void
}

interface Job extends Asked {
  readonly work: RustWork
  readonly bytes: number
  /** Whether the process has ended while it was at work on this job and perhaps others. */
  isAgain: boolean
  /** Whether no other is at work beside it: it runs again, or opens its file, for which the library's process stands still. */
  isAlone: boolean
}

/** Overrides of the defaults. */
interface LibraryOptions {
  /** The error for a text for which there is no room. Absent: as many as come wait. */
  readonly noRoom?: () => Error
  /** Starts a process of `rust-process.ts`. */
  readonly start?: () => ChildProcess
}

/**
 * The Rust library in a separate process, one for all tokenizers. The process starts when it is needed, and again
 * after it has ended. A text that takes too long ends it, as does one on which the library panics; the other works in
 * progress then run again, one at a time, so that only the work that ends the process fails.
 */
export class RustLibrary implements TokenizerLibrary {
  readonly #waiting: Job[] = []
  readonly #running = new Set<Job>()
  readonly #asked = new Map<number, Asked>()
  /** Files open in the process, by key. */
  readonly #open = new Map<string, { readonly bytes: number; readonly openedMs: number }>()
  #waitingBytes = 0
  /** Memory of the process when it answered last. */
  #processBytes = 0
  #nextId = 1
  #child: ChildProcess | undefined

  constructor(private readonly options: LibraryOptions = {}) {}

  run(work: RustWork): Promise<Result> {
    const bytes = WORK_BYTES + bytesOf(work)
    const { noRoom } = this.options
    if (noRoom !== undefined && this.#waiting.length > 0 && this.#waitingBytes + bytes > MOST_BYTES_WAITING)
      return Promise.reject(noRoom())
    return new Promise((resolve, reject) => {
      this.#wait({ work, bytes, isAgain: false, isAlone: false, resolve, reject })
      this.#begin()
    })
  }

  leave(ticket: string): void {
    const at = this.#waiting.findIndex(({ work }) => work.ticket === ticket)
    if (at < 0) return
    const [job] = this.#waiting.splice(at, 1)
    this.#waitingBytes -= job!.bytes
    job!.resolve(undefined) // nobody reads it
  }

  /** Ends the process. It starts again with the next work. */
  end(reason = 'it is no longer needed'): void {
    const child = this.#child
    this.#child = undefined
    this.#open.clear()
    this.#processBytes = 0
    child?.kill('SIGKILL') // of no effect where it has ended
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(new ProcessEnded(reason))
  }

  #wait(job: Job): void {
    if (job.isAgain) this.#waiting.unshift(job)
    else this.#waiting.push(job)
    this.#waitingBytes += job.bytes
  }

  #begin(): void {
    for (;;) {
      const [job] = this.#waiting
      if (job === undefined) return
      if (this.#isTooLarge()) {
        if (this.#running.size > 0) return
        this.end('it has taken too much memory')
      }
      if (!this.#mayBegin(job)) return
      this.#waiting.shift()
      this.#waitingBytes -= job.bytes
      this.#running.add(job)
      void this.#work(job)
    }
  }

  #mayBegin(job: Job): boolean {
    job.isAlone = job.isAgain || !this.#open.has(job.work.file.key)
    if (this.#running.size === 0) return true
    const running = [...this.#running]
    if (job.isAlone || running.some(({ isAlone }) => isAlone) || running.length >= LIBRARY_THREADS)
      return false
    return running.reduce((sum, { bytes }) => sum + bytes, job.bytes) <= MOST_BYTES_AT_WORK
  }

  async #work(job: Job): Promise<void> {
    try {
      job.resolve(await this.#result(job))
    } catch (error) {
      if (error instanceof ProcessEnded && !job.isAgain) this.#wait(Object.assign(job, { isAgain: true }))
      else job.reject(error instanceof InletError ? error : refusal(job.work, error as Error))
    }
    this.#running.delete(job)
    this.#begin()
  }

  async #result({ work: { file, ...work }, bytes }: Job): Promise<Result> {
    const { key } = file
    const open = this.#open.get(key) ?? (await this.#openFile(file))
    if (work.type === 'open') return undefined
    const most = Math.ceil(TEXT_MS + (TEXT_MICROSECONDS_PER_BYTE / 1000) * bytes + 2 * open.openedMs)
    return ownMemory(await this.#ask({ ...work, key }, most))
  }

  /** Opens a file, with no other work beside. */
  async #openFile({ key, json }: RustWork['file']) {
    const began = performance.now()
    // No process can be sent shared memory.
    await this.#ask({ type: 'open', key, json: Uint8Array.from(json) }, OPEN_MS)
    const opened = { bytes: json.length, openedMs: performance.now() - began }
    this.#open.set(key, opened)
    return opened
  }

  #isTooLarge(): boolean {
    const open = [...this.#open.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    const isMuchOpen = open > MOST_BYTES_OPEN && this.#open.size > 1
    return isMuchOpen || this.#processBytes > MOST_PROCESS_BYTES + PROCESS_BYTES_PER_BYTE_OPEN * open
  }

  async #ask(job: FileJob, mostMs: number): Promise<Result> {
    const id = this.#nextId++
    this.#child ??= this.#started()
    const child = this.#child
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<Result>((resolve, reject) => {
        // The timer keeps this process alive while it waits; the library's process does not.
        timer = setTimeout(() => {
          reject(new Error(`it took longer than ${(mostMs / 1000).toFixed(1)} s`))
          this.end('another text took too long')
        }, mostMs)
        this.#asked.set(id, { resolve, reject })
        child.send({ ...job, id } satisfies ProcessJob)
      })
    } finally {
      clearTimeout(timer)
    }
  }

  #started(): ChildProcess {
    const child = (this.options.start ?? startProcess)()
    child.unref()
    child.channel?.unref()
    const ended = (reason: string) => this.#child === child && this.end(reason)
    child.on('message', (answer: ProcessAnswer) => {
      const asked = this.#asked.get(answer.id)
      this.#asked.delete(answer.id)
      if (this.#child === child) this.#processBytes = answer.processBytes
      if ('result' in answer) asked?.resolve(answer.result)
      else asked?.reject(new Refused(answer.message))
    })
    // It could not be started, or a message could not be sent. Node does not promise that `exit` follows.
    child.on('error', ({ message }) => ended(`the library cannot be reached (${message})`))
    child.on('exit', (code, signal) => ended(`the library has ended (${signal ?? code})`))
    return child
  }
}

/** The process has ended during a work. */
class ProcessEnded extends Error {}

/** The library's own error. */
class Refused extends Error {}

function bytesOf(work: RustWork): number {
  if (work.type === 'open') return 0
  if (work.type === 'decode') return Int32Array.BYTES_PER_ELEMENT * work.ids.length
  return work.utf8.length + work.forbidden.reduce((sum, { length }) => sum + length + LITERAL_BYTES, 0)
}

/** Arrays of one message share a buffer, which would go with each to another thread. */
function ownMemory(result: Result): Result {
  if (typeof result !== 'object') return result
  return { ...result, ids: result.ids.slice(), ranges: result.ranges.slice() } satisfies Encoded
}

/** Only the library's own error tells about a file: what ends the process, or takes too long, may pass. */
function refusal({ type }: RustWork, error: Error): InletError {
  const reason = error.message.slice(0, MOST_CHARACTERS).toWellFormed()
  if (type === 'open' && error instanceof Refused)
    return new InletError('model_failed', `tokenizer.json cannot be used: ${reason}`)
  return new InletError('tokenizer_unavailable', `The model’s tokenizer cannot do this: ${reason}`, 'model')
}

function startProcess(): ChildProcess {
  return fork(fileURLToPath(packageFile('dist/rust-process.js')), [], {
    env: { ...process.env, UV_THREADPOOL_SIZE: String(LIBRARY_THREADS) },
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
