import type { ModelAdmin } from '../models/admin.js'
import { Calls } from './calls.js'
import type { Order } from './messages.js'
import { received } from './sent-errors.js'

/** The `ModelAdmin` of every thread but the first: each method calls the first thread's. */
export class RemoteAdmin implements ModelAdmin {
  readonly #calls = new Calls<unknown>()

  constructor(
    private readonly send: (id: number, method: keyof ModelAdmin, args: readonly unknown[]) => void,
  ) {}

  readonly make: ModelAdmin['make'] = (...args) => this.#call('make', args)
  readonly load: ModelAdmin['load'] = (...args) => this.#call('load', args)
  readonly unload: ModelAdmin['unload'] = (...args) => this.#call('unload', args)
  readonly remove: ModelAdmin['remove'] = (...args) => this.#call('remove', args)
  readonly openUpload: ModelAdmin['openUpload'] = (...args) => this.#call('openUpload', args)
  readonly commitUpload: ModelAdmin['commitUpload'] = (...args) => this.#call('commitUpload', args)
  readonly abandonUpload: ModelAdmin['abandonUpload'] = (...args) => this.#call('abandonUpload', args)
  readonly digest: ModelAdmin['digest'] = (...args) => this.#call('digest', args)

  /** Settles the call that the first thread has answered. */
  take({ id, result, error }: Extract<Order, { type: 'answer' }>): void {
    if (error === undefined) this.#calls.resolve(id, result)
    else this.#calls.reject(id, received(error))
  }

  #call<Result>(method: keyof ModelAdmin, args: readonly unknown[]): Promise<Result> {
    const { id, answer } = this.#calls.open()
    this.send(id, method, args)
    return answer as Promise<Result>
  }
}
