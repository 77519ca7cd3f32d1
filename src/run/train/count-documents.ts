import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { packageFile } from '../../first-layer/package-file.js'
import { type Cutting, safeCuts } from '../../first-layer/tokens/training/cutting.js'
import { type CountedPieces, PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import type { DocumentSink } from '../../service/corpus/ingest/document-writer.js'
import { type Slice, Slices } from './slices.js'

/** Slices that a thread has at a time: while it counts one, the next one is there. */
const WAITING = 2

/** Counts the pieces of documents, here or in threads. Counts add up exactly: the result does not depend on who counted what. */
export class DocumentCounter implements DocumentSink {
  readonly #counter: PieceCounter
  readonly #slices: Slices
  readonly #threads: CountThread[] = []

  constructor(cutting: Cutting, threads: number) {
    this.#counter = new PieceCounter(cutting)
    this.#slices = new Slices(safeCuts(cutting), (slice) => this.#count(slice))
    for (let i = 0; threads > 1 && i < threads; i++)
      this.#threads.push(new CountThread(cutting, (pieces) => this.#counter.add(pieces)))
  }

  write(bytes: Int32Array, ends: Int32Array): Promise<void> {
    return this.#slices.write(bytes, ends)
  }

  async finish(): Promise<CountedPieces> {
    await this.#slices.end()
    await Promise.all(this.#threads.map((thread) => thread.finish()))
    return this.#counter.take()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()))
  }

  async #count(slice: Slice): Promise<void> {
    if (this.#threads.length === 0) {
      addSlice(this.#counter, slice)
      return new Promise((resolve) => setImmediate(resolve)) // signals and progress have their turn
    }
    const free = () => this.#threads.find((thread) => thread.waiting < WAITING)
    while (free() === undefined) await Promise.race(this.#threads.map((thread) => thread.next()))
    free()!.count(slice)
  }
}

export function addSlice(counter: PieceCounter, { bytes, ends }: Slice): void {
  let start = 0
  for (const end of ends) {
    counter.addText(bytes.subarray(start, end))
    start = end
  }
}

class CountThread {
  waiting = 0
  readonly #worker: Worker

  constructor(cutting: Cutting, add: (pieces: CountedPieces) => void) {
    this.#worker = new Worker(packageFile('dist/count-thread.js'), { workerData: cutting })
    this.#worker.on('message', (pieces: CountedPieces | null) => {
      this.waiting--
      if (pieces !== null) add(pieces)
    })
    this.#worker.on('error', () => {}) // it rejects who waits for the next message
  }

  count(slice: Slice | null): void {
    this.waiting++
    this.#worker.postMessage(slice, slice === null ? [] : [slice.bytes.buffer])
  }

  /** Settles with the thread's next answer. @throws Error of the thread */
  async next(): Promise<void> {
    await once(this.#worker, 'message')
  }

  async finish(): Promise<void> {
    this.count(null)
    while (this.waiting > 0) await this.next()
    await this.stop()
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
