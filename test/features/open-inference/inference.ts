import { post, type TestAnswer, type TestService } from '../../helper.js'

export const INFER = '/v2/models/default/infer'

/** An input of a request: elements in JSON, or bytes that follow it. */
export interface GivenInput {
  readonly name: string
  readonly shape: readonly number[]
  readonly datatype: string
  readonly data?: unknown
  readonly bytes?: Buffer
}

export interface GivenRequest {
  readonly id?: string
  readonly parameters?: Readonly<Record<string, unknown>>
  readonly inputs: readonly GivenInput[]
  readonly outputs?: readonly object[]
}

/** One text. */
export const textInput = (...texts: string[]): GivenInput => ({
  name: 'text',
  shape: [texts.length],
  datatype: 'BYTES',
  data: texts,
})

/** One list of ids. */
export const idsInput = (...data: number[]): GivenInput => ({
  name: 'input_ids',
  shape: [data.length],
  datatype: 'INT64',
  data,
})

/** Strings as a BYTES tensor: each with its length before it. */
export function bytesTensor(...texts: (string | Buffer)[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text)
      const length = Buffer.alloc(4)
      length.writeUInt32LE(bytes.length)
      return [length, bytes]
    }),
  )
}

export const int64s = (...ids: (number | bigint)[]): Buffer =>
  Buffer.from(BigInt64Array.from(ids.map(BigInt)).buffer)
export const int32s = (...ids: number[]): Buffer => Buffer.from(Int32Array.from(ids).buffer)

/** A request's body, and the header that says how much of it is JSON. */
export function encoded({ inputs, ...rest }: GivenRequest): {
  body: Buffer
  headers: Record<string, string>
} {
  const said = inputs.map(({ bytes, ...input }) =>
    bytes === undefined ? input : { ...input, parameters: { binary_data_size: bytes.length } },
  )
  const json = Buffer.from(JSON.stringify({ ...rest, inputs: said }))
  const binary = inputs.flatMap(({ bytes }) => (bytes === undefined ? [] : [bytes]))
  const headers = binary.length > 0 ? { 'inference-header-content-length': String(json.length) } : {}
  return { body: Buffer.concat([json, ...binary]), headers: headers as Record<string, string> }
}

/** Asks for an inference. */
export function infer(
  service: Pick<TestService, 'app'>,
  request: GivenRequest,
  { url = INFER, headers = {} as Readonly<Record<string, string>> } = {},
): Promise<TestAnswer> {
  const { body, headers: own } = encoded(request)
  return post(service, url, body, { ...own, ...headers })
}

export interface GotOutput {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
  readonly data?: readonly number[]
  readonly bytes?: Buffer
}

/** An answer's JSON, and its outputs with the bytes that follow it. No byte may be left over. */
export function decoded({ body, headers }: Pick<TestAnswer, 'body' | 'headers'>): {
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  json: any
  outputs: GotOutput[]
} {
  const header = headers['inference-header-content-length']
  const jsonBytes = header === undefined ? body.length : Number(header)
  const json = JSON.parse(body.toString('utf8', 0, jsonBytes))
  let at = jsonBytes
  const outputs = json.outputs.map(
    ({ parameters, ...output }: GotOutput & { parameters?: { binary_data_size: number } }) => {
      if (parameters === undefined) return output
      const bytes = body.subarray(at, at + parameters.binary_data_size)
      at += parameters.binary_data_size
      return { ...output, bytes }
    },
  )
  if (at !== body.length) throw new Error(`${body.length - at} bytes are left over`)
  return { json, outputs }
}

/** The text of an error answer, which must have the protocol's form. */
export function errorOf(answer: Pick<TestAnswer, 'json'>): string {
  const body = answer.json()
  if (Object.keys(body).join() !== 'error' || typeof body.error !== 'string') {
    throw new Error(`not the protocol's error: ${JSON.stringify(body)}`)
  }
  return body.error
}
