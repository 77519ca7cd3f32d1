import { Worker, type WorkerOptions } from 'node:worker_threads'
import { type ErrorCode, HeaderedError, headersOf, InletError, statusOf } from '../answer/error-table.js'

export interface Port {
  postMessage(message: unknown): void
  on(event: 'message', take: (message: Message) => void): unknown
}

/** Objects by name whose methods the other thread can call. */
export type Rooms = Readonly<Record<string, object | undefined>>

/** An object in another thread: each method posts a call. What goes to it and comes back is copied, shared memory is not. */
export type Remote<Room> = {
  readonly [Method in keyof Room as Room[Method] extends (...args: never) => unknown
    ? Method
    : never]: Room[Method] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never
}

export interface Published {
  /** Settles when each thread has carried it out: what begins there from now on sees it. */
  readonly received: Promise<void>
  /** Settles when the promises of all handlers have: nothing reads any more what the value replaces. */
  readonly drained: Promise<void>
}

/** All that threads say to each other: calls, and the answers to them. */
export type Message =
  | {
      readonly kind: 'call'
      readonly id: number
      readonly room: string
      readonly method: string
      readonly args: readonly unknown[]
    }
  | { readonly kind: 'answer'; readonly id: number; readonly result?: unknown; readonly error?: SentError }

/** One thread's handlers of published values, by topic. */
export class Topics {
  readonly #handlers = new Map<string, ((value: never) => unknown)[]>()

  /** @param handler may return a promise of the moment when nothing reads what the value replaces */
  on<Value>(topic: string, handler: (value: Value) => unknown): void {
    this.#handlers.set(topic, [...(this.#handlers.get(topic) ?? []), handler])
  }

  /** Carries a value out. @returns settles when the handlers' promises have */
  async take(topic: string, value: unknown): Promise<void> {
    await Promise.all((this.#handlers.get(topic) ?? []).map((handler) => handler(value as never)))
  }

  /** Answers when what was published before has been carried out: threads read calls in their order. */
  reached(): void {}
}

export class Channel {
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  #next = 1

  constructor(private readonly port: Port) {}

  /** Begins to read what the other thread sends; what came before has waited. */
  listen(rooms: Rooms = {}, topics = new Topics()): void {
    this.port.on('message', (message) => {
      if (message.kind === 'call') return void this.#answer(message, { ...rooms, topics })
      const waiting = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error === undefined) waiting?.resolve(message.result)
      else waiting?.reject(received(message.error))
    })
  }

  /** Calls without an answer so far. */
  get waiting(): number {
    return this.#waiting.size
  }

  call<Result>(room: string, method: string, args: readonly unknown[] = []): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      const id = this.#next++
      this.port.postMessage({ kind: 'call', id, room, method, args } satisfies Message)
      this.#waiting.set(id, { resolve, reject })
    }) as Promise<Result>
  }

  room<Room extends object>(name: string): Remote<Room> {
    return remote((method, args) => this.call(name, method, args))
  }

  publish(topic: string, value: unknown): Published {
    const { take, reached } = this.room<Topics>('topics')
    return { drained: take(topic, value), received: reached() }
  }

  /** Rejects what waits: the other thread has ended. */
  end(cause: Error): void {
    for (const { reject } of this.#waiting.values()) reject(cause)
    this.#waiting.clear()
  }

  async #answer({ id, room, method, args }: Extract<Message, { kind: 'call' }>, rooms: Rooms): Promise<void> {
    const send = (answer: object) => this.port.postMessage({ kind: 'answer', id, ...answer })
    try {
      const called = rooms[room] as Readonly<Record<string, (...given: readonly unknown[]) => unknown>>
      send({ result: await called[method](...args) })
    } catch (error) {
      send({ error: sent(error) })
    }
  }
}

/** An object each of whose methods is `call`. */
export function remote<Room extends object>(
  call: (method: string, args: readonly unknown[]) => Promise<unknown>,
): Remote<Room> {
  const get = (_: object, name: string | symbol) =>
    name === 'then' || typeof name === 'symbol' // promises and logs ask for these
      ? undefined
      : (...args: readonly unknown[]) => call(name, args)
  return new Proxy({}, { get }) as Remote<Room>
}

/** Starts a thread. @param ended called with the reason when the thread has ended */
export function startThread(
  script: URL,
  { rooms, ended, ...options }: WorkerOptions & { readonly rooms?: Rooms; ended(cause: Error): void },
): { readonly worker: Worker; readonly channel: Channel } {
  const worker = new Worker(script, options)
  const channel = new Channel(worker)
  let cause: Error | undefined
  worker.on('error', (error: Error) => {
    cause = error
  })
  worker.on('exit', (code) => ended(cause ?? new Error(`It ended with ${code}.`)))
  channel.listen(rooms)
  return { worker, channel }
}

/** An error for the caller, on its way to the thread that answers it. */
interface SentError {
  readonly code: ErrorCode
  readonly message: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
}

/** An error in a form that can be posted. One that is no `InletError` gets the code `internal`. */
function sent(error: unknown): SentError {
  if (!(error instanceof InletError)) {
    return { code: 'internal', message: (error as Error).message, param: null, headers: {} }
  }
  const { code, message, param } = error
  return { code, message, param, headers: headersOf(error), status: statusOf(error) }
}

function received({ code, message, param, headers, status }: SentError): Error {
  return code === 'internal' ? new Error(message) : new HeaderedError(code, message, param, headers, status)
}
