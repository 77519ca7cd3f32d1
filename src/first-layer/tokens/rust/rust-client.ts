import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { InletError } from '../../errors.js'
import { runAsync, type Steps, waitFor } from '../../steps.js'
import { NoRoom } from './failures.js'
import type {
  Cancel,
  Encoded,
  EncodeWork,
  Failure,
  Result,
  RustAnswer,
  RustJob,
  RustMessage,
  RustWork,
} from './messages.js'

interface Pending {
  resolve(result: Result): void
  reject(error: Error): void
}

/** The error for a text that cannot be encoded soon enough. */
export type RefusalOf = (refused: NoRoom) => Error

/** Sends jobs to the library: to the thread that keeps its processes, from the thread that started it, or by a port from any other. */
export class RustClient {
  readonly #pending = new Map<number, Pending>()
  #nextJob = 1

  constructor(
    private readonly channel: MessagePort | Worker,
    private readonly refusal: RefusalOf = (refused) => refused,
  ) {
    channel.on('message', (answer: RustAnswer) => this.#take(answer))
    channel.on('close', () => this.failAll(new Error('The thread of the tokenizer library has ended.')))
    channel.unref()
  }

  /** A port for one more thread: it is to be posted there and given to a client of its own. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.channel.postMessage({ type: 'connect', port: port1 } satisfies RustMessage, [port1])
    return port2
  }

  /**
   * Loads a tokenizer, under a key by which all threads then ask for it; one that is open under it stays. The caller
   * closes it when this thread needs it no more, once for each time it was opened.
   *
   * @param json UTF-8 in shared memory
   * @throws InletError `model_failed` where the library refuses the file, else another error
   */
  async open(key: string, json: Uint8Array): Promise<void> {
    await runAsync(this.#run({ type: 'open', key, json }, []))
  }

  async close(key: string): Promise<void> {
    await runAsync(this.#run({ type: 'close', key }, []))
  }

  /**
   * Ending these steps early drops the work where the library has not begun it.
   *
   * @param work its chunks are handed over: the caller cannot read them any more
   * @throws InletError `tokenizer_unavailable` where the library gives the text up, or takes too long
   */
  *encode(key: string, work: EncodeWork): Steps<Encoded> {
    const buffers = work.chunks.map((chunk) => chunk.buffer as ArrayBuffer)
    return (yield* this.#run({ type: 'encode', key, ...work }, buffers)) as Encoded
  }

  /** As `encode`. @param ids handed over */
  *decode(key: string, ids: Int32Array): Steps<string> {
    return (yield* this.#run({ type: 'decode', key, ids }, [ids.buffer as ArrayBuffer])) as string
  }

  /** Fails what waits for an answer: the thread has ended. */
  failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  *#run(work: RustWork, transfer: ArrayBuffer[]): Steps<Result> {
    const id = this.#nextJob++
    const answered = new Promise<Result>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.channel.ref()
      this.channel.postMessage({ id, ...work } satisfies RustJob, transfer)
    })
    try {
      return yield* waitFor(answered)
    } finally {
      if (this.#settle(id) !== undefined) this.channel.postMessage({ type: 'cancel', id } satisfies Cancel)
    }
  }

  /** Removes the waiting caller of this job; undefined where the job has been answered. */
  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.channel.unref()
    return pending
  }

  #take(answer: RustAnswer): void {
    const pending = this.#settle(answer.job)
    if (pending === undefined) return // it was cancelled
    if ('result' in answer) pending.resolve(answer.result)
    else pending.reject(this.#errorOf(answer.failure))
  }

  #errorOf(failure: Failure): Error {
    if ('late' in failure) return this.refusal(new NoRoom(failure.waitMs, failure.late))
    const { code, message } = failure
    return new InletError(code, message, code === 'tokenizer_unavailable' ? 'model' : null)
  }
}
