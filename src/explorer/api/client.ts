import { ApiError, errorOf, offline } from './api-error.js'
import { readSafetensors, type Tensors } from './safetensors.js'

const JSON_TYPE = 'application/json'
export const SAFETENSORS = 'application/vnd.safetensors'

/** A call of the service: a path below the page's own address, so that a prefix before it does not matter. */
export interface Call {
  readonly path: string
  /** Present: POST. A string is a raw text; anything else goes as JSON. */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
}

/** How a call gets its response: over the network, or from a recording. */
export type Transport = (call: Call, accept: string, signal?: AbortSignal) => Promise<Response>

/** Makes calls, one after the other on a transport. Answers are JSON or tensors; all else is an `ApiError`. */
export class Client {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async json<T>(call: Call, signal?: AbortSignal): Promise<T> {
    const response = await this.#response(call, JSON_TYPE, signal)
    return (await whole(() => response.json(), signal)) as T
  }

  async tensors(call: Call, signal?: AbortSignal): Promise<Tensors> {
    const response = await this.#response(call, SAFETENSORS, signal)
    return readSafetensors(await whole(() => response.arrayBuffer(), signal))
  }

  async #response(call: Call, accept: string, signal?: AbortSignal): Promise<Response> {
    const response = await whole(() => this.#transport(call, accept, signal), signal)
    if (response.ok) return response
    throw await errorOf(response)
  }
}

/** A connection that breaks is an `ApiError`; a call that was given up stays what it is. */
async function whole<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (signal?.aborted || error instanceof ApiError) throw error
    throw offline(error)
  }
}
