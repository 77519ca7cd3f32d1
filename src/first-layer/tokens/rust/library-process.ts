import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'
import type { Cancel, Encoded, RustAnswer, RustJob, RustWork } from './messages.js'
import { RefusedFile } from './rust-host.js'

type Result = Encoded | string | undefined
type OpenWork = Extract<RustWork, { type: 'open' }>

interface Pending {
  resolve(result: Result): void
  reject(error: Error): void
}

/** A tokenizer.json, UTF-8, and how many `open` works have asked for it that no `close` has ended. */
interface OpenFile {
  readonly json: Uint8Array
  users: number
}

/** The process has ended during a job. */
class ProcessEnded extends Error {}

/**
 * The Rust library in a process of its own. Where the process ends, the jobs that it had fail; the next one starts another
 * process, in which the files that were open are opened again when a job needs them.
 */
export class LibraryProcess {
  readonly #files = new Map<string, OpenFile>()
  #child: { readonly process: ChildProcess; readonly open: Map<string, Promise<Result>> } | undefined
  readonly #pending = new Map<number, Pending>()
  #nextJob = 1
  #lastOpening: Promise<unknown> = Promise.resolve()

  /** @param start starts a process of `rust-process.ts` */
  constructor(private readonly start: () => ChildProcess = startProcess) {}

  /**
   * Does one work. Each `open` of a key that has not failed needs a `close`; with the last one the file goes.
   *
   * @param signal aborted: a work that has not begun yet is dropped, and fails
   * @throws RefusedFile for a file that the library cannot use, or that ends it
   */
  async run(work: RustWork, signal?: AbortSignal): Promise<Result> {
    if (work.type === 'open') return this.#enter(work)
    if (work.type === 'close') return this.#leave(work.key)
    await this.#opened(work.key)
    signal?.throwIfAborted()
    return this.#send(work, signal)
  }

  async #enter({ key, json }: OpenWork): Promise<Result> {
    const file = this.#files.get(key)
    if (file !== undefined) file.users++
    // It may lie in shared memory, which no process can be sent.
    else this.#files.set(key, { json: Uint8Array.from(json), users: 1 })
    try {
      return await this.#opened(key)
    } catch (error) {
      this.#leave(key)
      throw error
    }
  }

  #leave(key: string): undefined {
    const file = this.#files.get(key)
    if (file === undefined || --file.users > 0) return
    this.#files.delete(key)
    if (this.#child === undefined) return
    this.#child.open.delete(key)
    this.#send({ type: 'close', key }).catch(() => {}) // the process has ended, and with it all is closed
  }

  #opened(key: string): Promise<Result> {
    const file = this.#files.get(key)
    if (file === undefined) throw new Error(`No tokenizer is open under ${key}.`)
    const { open } = this.#running()
    let opening = open.get(key)
    if (opening === undefined) {
      // One after the other: a file at which the library panics takes no other one along.
      opening = this.#lastOpening.then(() => this.#open(key, file))
      this.#lastOpening = opening.catch(() => {})
      opening.then(
        () => this.#files.get(key) === file && this.#child?.open.set(key, opening!), // in a new process, perhaps
        () => open.delete(key),
      )
      open.set(key, opening)
    }
    return opening
  }

  /**
   * Opens a file. Where the process ends meanwhile, another job may have ended it; the file is then opened in a new
   * process. There it is alone: every other job waits until its own file is opened, behind this one.
   */
  async #open(key: string, file: OpenFile): Promise<Result> {
    try {
      return await this.#sendFile(key, file)
    } catch (error) {
      if (!(error instanceof ProcessEnded)) throw error
    }
    try {
      return await this.#sendFile(key, file)
    } catch (error) {
      throw error instanceof ProcessEnded ? new RefusedFile(error.message) : error
    }
  }

  async #sendFile(key: string, file: OpenFile): Promise<Result> {
    if (this.#files.get(key) !== file) throw new Error(`The tokenizer under ${key} has been closed.`)
    return this.#send({ type: 'open', key, json: file.json })
  }

  #send(work: RustWork, signal?: AbortSignal): Promise<Result> {
    const id = this.#nextJob++
    const { process } = this.#running()
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      process.send({ ...work, id } satisfies RustJob) // a job has an id of its own
      signal?.addEventListener('abort', () => {
        if (this.#pending.has(id)) process.send({ type: 'cancel', id } satisfies Cancel)
      })
    })
  }

  #running() {
    if (this.#child !== undefined) return this.#child
    const child = this.start()
    child.on('message', (answer: RustAnswer) => this.#take(answer))
    // The process could not be started, or a message could not be sent. Node does not promise that `exit` follows.
    child.on('error', ({ message }) =>
      this.#lost(child, new Error(`the library cannot be reached (${message})`)),
    )
    child.on('exit', (code, signal) =>
      this.#lost(child, new ProcessEnded(`the library has ended (${signal ?? code})`)),
    )
    this.#child = { process: child, open: new Map() }
    return this.#child
  }

  #take(answer: RustAnswer): void {
    const pending = this.#pending.get(answer.job)
    this.#pending.delete(answer.job)
    if ('result' in answer) pending?.resolve(answer.result)
    else pending?.reject(answer.isFile ? new RefusedFile(answer.message) : new Error(answer.message))
  }

  #lost(child: ChildProcess, error: Error): void {
    if (this.#child?.process !== child) return
    this.#child = undefined
    child.kill('SIGKILL') // of no effect where it has ended
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function startProcess(): ChildProcess {
  return fork(fileURLToPath(packageFile('dist/rust-process.js')), [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
