import { Calls } from './calls.js'
import type { CallRoom, Order } from './messages.js'
import { received } from './sent-errors.js'

/** Calls of this thread to the first one, which carries them out and answers. */
export class RemoteCalls {
  readonly #calls = new Calls<unknown>()

  constructor(
    private readonly send: (id: number, room: CallRoom, method: string, args: readonly unknown[]) => void,
  ) {}

  call<Result>(room: CallRoom, method: string, args: readonly unknown[]): Promise<Result> {
    const { id, answer } = this.#calls.open()
    this.send(id, room, method, args)
    return answer as Promise<Result>
  }

  /** Settles the call that the first thread has answered. */
  take({ id, result, error }: Extract<Order, { type: 'answer' }>): void {
    if (error === undefined) this.#calls.resolve(id, result)
    else this.#calls.reject(id, received(error))
  }
}
