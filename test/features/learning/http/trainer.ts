import type { FastifyInstance, InjectOptions } from 'fastify'
import type { EmbeddingGradients, GradientCall } from '../../../../src/first-layer/learning/gradient-call.js'
import { AUTHORIZATION } from '../../../managed.js'
import { type FileTensor, tableFile } from '../../../table-files.js'

const SAFETENSORS = { 'content-type': 'application/vnd.safetensors' }
const DTYPES = { float32: 'F32', float16: 'F16', bfloat16: 'BF16' } as const

export interface Keyed {
  /** Default: none. */
  readonly key?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A trainer of one model. */
export class Trainer {
  constructor(
    private readonly app: FastifyInstance,
    readonly model: string,
  ) {}

  begin(optimizer: object) {
    return this.send('PUT', 'optimizer', optimizer)
  }

  gradients(body: Buffer | Readonly<Record<string, FileTensor>>, options: Keyed = {}) {
    const payload = Buffer.isBuffer(body) ? body : tableFile(body)
    const path = `gradients${options.query === undefined ? '' : `?${options.query}`}`
    return this.#call(path, payload, SAFETENSORS, options)
  }

  step(options: object = {}, keyed: Keyed = {}) {
    return this.#call('steps', options, {}, keyed)
  }

  checkpoint() {
    return this.send('GET', 'checkpoint')
  }

  restore(file: Buffer) {
    return this.send('PUT', 'checkpoint', file, SAFETENSORS)
  }

  async send(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    path = '',
    payload?: object | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const url = `/v1/models/${encodeURIComponent(this.model)}${path && '/'}${path}`
    const request: InjectOptions = { method, url, headers: { ...AUTHORIZATION, ...headers } }
    const answer = await this.app.inject(payload === undefined ? request : { ...request, payload })
    return {
      status: answer.statusCode,
      headers: answer.headers,
      file: answer.rawPayload,
      // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
      get body(): any {
        return answer.json()
      },
    }
  }

  #call(
    path: string,
    payload: object | Buffer,
    headers: Readonly<Record<string, string>>,
    { key, headers: others }: Keyed,
  ) {
    const keyed = key !== undefined && { 'idempotency-key': key }
    return this.send('POST', path, payload, { ...headers, ...keyed, ...others })
  }
}

/** The body of a call, safetensors. */
export function bodyOf(call: GradientCall): Buffer {
  return 'shape' in call ? tableFile(ofEmbeddings(call)) : tableFile(ofRows(call))
}

function ofEmbeddings(call: EmbeddingGradients): Record<string, FileTensor> {
  const [B, T] = call.shape
  const { gradients, input_ids, position_ids, attention_mask } = call
  const width = gradients.bytes.length / (gradients.dtype === 'float32' ? 4 : 2) / (B * T)
  const ids = (values: Int32Array) => ({ shape: [B, T], dtype: 'I32', bytes: bytesOf(values) })
  return {
    gradients: { shape: [B, T, width], dtype: DTYPES[gradients.dtype], bytes: Buffer.from(gradients.bytes) },
    input_ids: ids(input_ids),
    ...(position_ids && { position_ids: ids(position_ids) }),
    ...(attention_mask && { attention_mask: ids(attention_mask) }),
  }
}

function ofRows(call: Exclude<GradientCall, EmbeddingGradients>) {
  const tensors: Record<string, FileTensor> = {}
  for (const name of ['token', 'position'] as const) {
    const [gradients, ids] = [call[`${name}_gradients`], call[`${name}_ids`]]
    if (gradients === undefined || ids === undefined) continue
    const count = ids.length
    const shape = [count, gradients.bytes.length / 4 / count]
    tensors[`${name}_gradients`] = { shape, bytes: Buffer.from(gradients.bytes) }
    tensors[`${name}_ids`] = { shape: [count], dtype: 'I32', bytes: bytesOf(ids) }
  }
  return tensors
}

export function bytesOf(values: Int32Array | Float32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

/** Gradients [1, ids.length, C] of ones times `value`, for these ids. */
export function onesFor(ids: readonly number[], dim: number, value = 1): Record<string, FileTensor> {
  return {
    gradients: { shape: [1, ids.length, dim], numbers: new Array(ids.length * dim).fill(value) },
    input_ids: { shape: [1, ids.length], dtype: 'I32', bytes: bytesOf(Int32Array.from(ids)) },
  }
}
