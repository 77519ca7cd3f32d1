import { InletError } from '../../../first-layer/errors.js'
import { startWorker } from './ask.js'

/** A tensor: 16-bit floats are their bits. */
export interface Tensor {
  readonly dtype: 'float32' | 'float16' | 'bfloat16' | 'int32' | 'int64'
  readonly shape: readonly number[]
  readonly data: Float32Array | Uint16Array | Int32Array | BigInt64Array
}

/** The JSON answer of the service, with typed arrays. */
export interface Answer {
  readonly outputs: Readonly<Record<string, Tensor>>
  readonly [fact: string]: unknown
}

/** For each query its neighbours, the nearest first. */
export interface Neighbors {
  readonly neighbors: readonly (readonly { id: number; text: string | null; score: number }[])[]
  readonly [fact: string]: unknown
}

/** The default model in a browser's tab: `(await open()).embed({ text: 'Hello' })`. @throws InletError */
export async function open() {
  const ask = startWorker()
  const call = async (method: string, target: string, body?: object): Promise<unknown> => {
    const arrays = (_: string, value: unknown) =>
      ArrayBuffer.isView(value) ? Array.from(value as Int32Array) : value
    const { status, value } = await ask({ method, target, body: JSON.stringify(body, arrays) })
    if (status === 200) return value
    const { code, message, param } = (value as { error: InletError }).error
    throw new InletError(code, message, param)
  }
  await call('GET', 'v1/models/default')
  return {
    /** @param body of `POST /v1/input-embeddings` */
    embed: (body: object) => call('POST', 'v1/input-embeddings', body) as Promise<Answer>,
    /** @param body of `POST /v1/tokenize` */
    tokenize: (body: object) => call('POST', 'v1/tokenize', body) as Promise<Answer>,
    /** @param body of `POST /v1/models/default/neighbors` */
    neighbors: (body: object) => call('POST', 'v1/models/default/neighbors', body) as Promise<Neighbors>,
  }
}
