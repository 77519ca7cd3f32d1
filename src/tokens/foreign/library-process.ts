import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../../package-file.js'
import { RefusedFile } from './foreign-host.js'
import type { Encoded, ForeignAnswer, ForeignJob, ForeignWork } from './messages.js'

type Result = Encoded | string | undefined

interface Pending {
  resolve(result: Result): void
  reject(error: Error): void
}

/**
 * The Rust library in a process of its own. Where the process ends, the jobs that it had fail; the next one starts another
 * process, in which the files that were open are opened again when a job needs them.
 */
export class LibraryProcess {
  /** tokenizer.json of each key, UTF-8. */
  readonly #files = new Map<string, Uint8Array>()
  #child: { readonly process: ChildProcess; readonly open: Map<string, Promise<Result>> } | undefined
  readonly #pending = new Map<number, Pending>()
  #nextJob = 1
  #lastOpening: Promise<unknown> = Promise.resolve()

  /** @throws RefusedFile for a file that the library cannot use, or that ends it */
  async run(work: ForeignWork): Promise<Result> {
    if (work.type === 'open') {
      this.#files.set(work.key, Uint8Array.from(work.json)) // it may lie in shared memory, which no process can be sent
      return this.#opened(work.key)
    }
    if (work.type === 'close') {
      this.#files.delete(work.key)
      this.#child?.open.delete(work.key)
      return this.#child && this.#send(work)
    }
    await this.#opened(work.key)
    return this.#send(work)
  }

  #opened(key: string): Promise<Result> {
    const json = this.#files.get(key)
    if (json === undefined) throw new Error(`No tokenizer is open under ${key}.`)
    const { open } = this.#running()
    let opening = open.get(key)
    if (opening === undefined) {
      // One after the other: a file at which the library panics takes no other one along.
      opening = this.#lastOpening.then(() => this.#send({ type: 'open', key, json }))
      this.#lastOpening = opening.catch(() => {})
      opening = opening.catch((error: Error) => {
        open.delete(key)
        throw new RefusedFile(error.message)
      })
      open.set(key, opening)
    }
    return opening
  }

  #send(work: ForeignWork): Promise<Result> {
    const id = this.#nextJob++
    const { process } = this.#running()
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      process.send({ ...work, id } satisfies ForeignJob) // a job has an id of its own
    })
  }

  #running() {
    if (this.#child !== undefined) return this.#child
    const child = fork(fileURLToPath(packageFile('dist/foreign-process.js')), [], {
      serialization: 'advanced',
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.on('message', (answer: ForeignAnswer) => this.#take(answer))
    child.on('error', () => {}) // the process ends, and `exit` tells
    child.on('exit', (code, signal) => this.#ended(signal ?? code))
    this.#child = { process: child, open: new Map() }
    return this.#child
  }

  #take(answer: ForeignAnswer): void {
    const pending = this.#pending.get(answer.job)
    this.#pending.delete(answer.job)
    if ('result' in answer) pending?.resolve(answer.result)
    else pending?.reject(answer.isFile ? new RefusedFile(answer.message) : new Error(answer.message))
  }

  #ended(how: string | number | null): void {
    this.#child = undefined
    const error = new Error(`the library has ended (${how})`)
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
