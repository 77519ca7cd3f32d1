import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads'
import { InletError } from '../../errors.js'
import type {
  Encoded,
  EncodeWork,
  ForeignAnswer,
  ForeignJob,
  ForeignMessage,
  ForeignWork,
} from './messages.js'

interface Pending {
  resolve(result: Encoded | string | undefined): void
  reject(error: Error): void
}

/** Sends jobs to the library's thread: from the thread that started it, or by a port from any other. */
export class ForeignClient {
  readonly #pending = new Map<number, Pending>()
  #nextJob = 1

  constructor(private readonly channel: MessagePort | Worker) {
    channel.on('message', (answer: ForeignAnswer) => this.#take(answer))
    channel.on('close', () => this.failAll(new Error('The thread of the tokenizer library has ended.')))
    channel.unref()
  }

  /** A port for one more thread: it is to be posted there and given to a client of its own. */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel()
    this.channel.postMessage({ type: 'connect', port: port1 } satisfies ForeignMessage, [port1])
    return port2
  }

  /**
   * Loads a tokenizer, under a key by which all threads then ask for it; one that is open under it stays.
   *
   * @param json UTF-8 in shared memory
   * @throws InletError `model_failed`
   */
  async open(key: string, json: Uint8Array): Promise<void> {
    await this.#run({ type: 'open', key, json }, [])
  }

  async close(key: string): Promise<void> {
    await this.#run({ type: 'close', key }, [])
  }

  /** @param work its chunks are handed over: the caller cannot read them any more */
  async encode(work: EncodeWork): Promise<Encoded> {
    const buffers = work.chunks.map((chunk) => chunk.buffer as ArrayBuffer)
    return (await this.#run({ type: 'encode', ...work }, buffers)) as Encoded
  }

  async decode(key: string, ids: Int32Array): Promise<string> {
    return (await this.#run({ type: 'decode', key, ids }, [])) as string
  }

  /** Fails what waits for an answer: the thread has ended. */
  failAll(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  #run(work: ForeignWork, transfer: ArrayBuffer[]): Promise<Encoded | string | undefined> {
    const id = this.#nextJob++
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.channel.ref()
      this.channel.postMessage({ id, ...work } satisfies ForeignJob, transfer)
    })
  }

  #take(answer: ForeignAnswer): void {
    const pending = this.#pending.get(answer.job)
    if (pending === undefined) return
    this.#pending.delete(answer.job)
    if (this.#pending.size === 0) this.channel.unref()
    if ('result' in answer) pending.resolve(answer.result)
    else if (answer.isFile)
      pending.reject(new InletError('model_failed', `tokenizer.json cannot be used: ${answer.message}`))
    else pending.reject(notEncoded(answer.message))
  }
}

/** 422 `tokenizer_unavailable`: the library has given this text or these ids up, and says why. */
function notEncoded(reason: string): InletError {
  const message = `The model’s tokenizer cannot do this: ${reason.slice(0, 300).toWellFormed()}`
  return new InletError('tokenizer_unavailable', message, 'model')
}
