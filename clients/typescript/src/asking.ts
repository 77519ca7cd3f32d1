import { readSafetensors, writeSafetensors } from './safetensors.js'
import { type Embeddings, Tensor, Tensors } from './tensors.js'
import { type Answer, type Body, type CallOptions, type ClientOptions, Transport } from './transport.js'
import type { EmbeddingsAnswer } from './types.js'
import { plain, queryString, type TensorFile } from './values.js'

export type { CallOptions } from './transport.js'

const JSON_TYPE = 'application/json'
export const FILE = 'application/vnd.safetensors'

/** The elements of embeddings. */
const VECTOR_TYPES = {
  ...{ float: Float32Array, int8: Int8Array, uint8: Uint8Array },
  ...{ binary: Int8Array, ubinary: Uint8Array },
}

interface Call {
  readonly method: string
  readonly path: string
  readonly query?: object
  readonly body?: object
  /** A field whose bytes, where it has bytes, are the whole body; the others stand in the query then. */
  readonly raw?: string
  /** The body, of which the fields are the metadata. */
  readonly tensors?: TensorFile
  /** The body as it is. */
  readonly upload?: { readonly type: string; readonly body: Body }
  readonly headers?: Readonly<Record<string, string | number | undefined>>
  readonly repeat?: boolean
}

/** An answer of counts alone. */
interface Counts {
  readonly num_tokens: number
  readonly num_characters: number
  readonly documents?: readonly { readonly start: number }[]
}

/** Shared by all calls: from the fields of a request to the values of its answer. */
export abstract class Asking {
  readonly #transport: Transport

  constructor(url: string, options: ClientOptions = {}) {
    this.#transport = new Transport(url, options)
  }

  protected async tensors(call: Call, options: CallOptions): Promise<Tensors> {
    const { headers, bytes } = await this.#ask(call, `${FILE}, ${JSON_TYPE};q=0.5`, options)
    if (headers.get('content-type')?.startsWith(FILE)) {
      const { tensors, metadata } = readSafetensors(bytes)
      return new Tensors(tensors, metadata, headers)
    }
    // Counts alone, which have no tensors; those of a list of texts give where each begins.
    const { documents, ...counts } = JSON.parse(textOf(bytes)) as Counts
    const metadata = Object.entries(counts).map(([name, value]) => [name, String(value)])
    const tensors = documents === undefined ? [] : [documentStarts(documents, counts.num_tokens)]
    return new Tensors(tensors, Object.fromEntries(metadata), headers)
  }

  protected async vectors(call: Call, options: CallOptions): Promise<Embeddings> {
    const body = { ...call.body, encoding_format: 'base64' }
    const answer = await this.json<EmbeddingsAnswer>({ ...call, body }, options)
    const rows = answer.data.map(({ embedding }) => atob(embedding as string))
    const bytes = new Uint8Array(rows.reduce((sum, row) => sum + row.length, 0))
    let end = 0
    for (const row of rows) for (let i = 0; i < row.length; i++) bytes[end++] = row.charCodeAt(i)
    const data = new VECTOR_TYPES[answer.output_dtype ?? 'float'](bytes.buffer)
    return {
      shape: [rows.length, data.length / rows.length],
      data,
      model: answer.model,
      modelVersion: answer.model_version,
      numTokens: answer.usage.total_tokens,
    }
  }

  protected async json<T>(call: Call, options: CallOptions): Promise<T> {
    const text = await this.text(call, options, JSON_TYPE)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  protected async text(call: Call, options: CallOptions, accept = '*/*'): Promise<string> {
    return textOf((await this.#ask(call, accept, options)).bytes)
  }

  /** The answer's bytes as they are. */
  protected bytes(call: Call, options: CallOptions, accept = 'application/octet-stream'): Promise<Answer> {
    return this.#ask(call, accept, options)
  }

  #ask(call: Call, accept: string, options: CallOptions): Promise<Answer> {
    const { method, path, headers = {}, repeat = true } = call
    const { type, body, query } = written(call)
    const given = Object.entries({ ...headers, accept, 'content-type': type })
    const known = given.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
    const search = queryString(query ?? {})
    const target = search === '' ? path : `${path}?${search}`
    return this.#transport.send({ method, target, headers: Object.fromEntries(known), body, repeat }, options)
  }
}

/** The body of a call, and the fields that stand in its query string. */
function written({ query, body, raw, tensors, upload }: Call): {
  type?: string
  body?: Body
  query?: object
} {
  if (upload !== undefined) return { ...upload, query }
  if (tensors !== undefined) {
    const fields = Object.entries(body ?? {}).filter(([, value]) => value !== undefined)
    const texts = fields.map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    return { type: FILE, body: new Blob(writeSafetensors(tensors, Object.fromEntries(texts))), query }
  }
  if (body === undefined) return { query }
  const { [raw as keyof typeof body]: bytes, ...rest } = body as Record<string, unknown>
  if (bytes instanceof Uint8Array) {
    return { type: 'text/plain; charset=utf-8', body: bytes as Uint8Array<ArrayBuffer>, query: rest }
  }
  return { type: JSON_TYPE, body: JSON.stringify(body, plain) }
}

function documentStarts(
  documents: readonly { readonly start: number }[],
  end: number,
): readonly [string, Tensor] {
  const data = Int32Array.from([...documents.map(({ start }) => start), end])
  return ['document_starts', new Tensor({ dtype: 'int32', shape: [data.length], data })]
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
