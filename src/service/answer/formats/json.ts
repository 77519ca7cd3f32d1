import type { Answer } from '../../../first-layer/answer.js'
import type { FormatRules } from '../../../first-layer/embedding-plan.js'
import type { Blocks } from '../../../first-layer/steps.js'
import { byteLength, elementCount, type TensorInfo } from '../../../first-layer/tensors/named-tensor.js'
import { base64Length, base64Text } from '../base64.js'
import { countFields, modelHeaders } from '../counts.js'
import { nestedArrayText } from '../number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
const ID_BYTES = 7

/** Everything before the tensors: `{"model":"default","num_tokens":9,…,"outputs":{`. */
function opening(answer: Answer): string {
  const model = answer.model === undefined ? [] : [['model', answer.model] as const]
  const version = answer.modelVersion === undefined ? [] : [['model_version', answer.modelVersion] as const]
  const facts = Object.entries(answer.facts ?? {})
  const fields = [...facts, ...model, ...version, ...countFields(answer.counts)]
  const metadata = Object.keys(answer.metadata).length > 0 ? [['metadata', answer.metadata] as const] : []
  const members = [...fields, ...metadata].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  return `{${members.join(',')},"outputs":{`
}

function tensorOpening({ name, dtype, shape }: TensorInfo, index: number): string {
  const comma = index === 0 ? '' : ','
  return `${comma}${JSON.stringify(name)}:{"dtype":"${dtype}","shape":${JSON.stringify(shape)},"data":`
}

const CLOSING = '}}'

interface Frame {
  readonly before: readonly string[]
  readonly after: string
}

function frameOf(answer: Answer): Frame {
  const start = opening(answer)
  const before = answer.tensors.map((tensor, i) => `${i === 0 ? start : '}'}${tensorOpening(tensor, i)}`)
  return before.length > 0 ? { before, after: `}${CLOSING}` } : { before, after: start + CLOSING }
}

function* text({ tensors }: Answer, { before, after }: Frame, encodingFormat: EncodingFormat): Blocks {
  const elements = encodingFormat === 'base64' ? base64Text : nestedArrayText
  for (const [index, tensor] of tensors.entries()) yield* elements(tensor, before[index])
  yield Buffer.from(after)
}

function dataBytes(tensor: TensorInfo, encodingFormat: EncodingFormat): number {
  if (encodingFormat === 'base64') return base64Length(byteLength(tensor)) + 2 // its quotes
  const bytes = elementCount(tensor.shape) * (tensor.dtype.startsWith('int') ? ID_BYTES : FLOAT_BYTES)
  return Math.max(2, bytes) // one without rows is `[]`
}

function size({ tensors }: Answer, { before, after }: Frame, encodingFormat: EncodingFormat): number {
  const bytes = tensors.map((tensor, i) => Buffer.byteLength(before[i]) + dataBytes(tensor, encodingFormat))
  return bytes.reduce((sum, each) => sum + each, Buffer.byteLength(after))
}

/** Names, shapes and numbers as text that every language reads. */
export const json: Format = {
  name: 'json',
  mediaTypes: ['application/json'],
  single: false,
  limit: 'MAX_JSON_RESPONSE_BYTES',
  encode(answer, { encodingFormat }) {
    const frame = frameOf(answer)
    return {
      size: size(answer, frame, encodingFormat),
      exact: encodingFormat === 'base64',
      headers: modelHeaders(answer),
      body: text(answer, frame, encodingFormat),
    }
  },
}

/** How JSON carries a tensor's elements: nested arrays of numbers, or base64 of the little-endian bytes. */
export type EncodingFormat = 'float' | 'base64'

export interface FormatOptions {
  readonly encodingFormat: EncodingFormat
}

/** An answer as bytes that flow; none is made before the first block is asked for. */
export interface EncodedAnswer {
  readonly size: number
  /** Whether `size` is exact. For JSON it is an estimate: the length of numbers is known only when they are written. */
  readonly exact: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Blocks under the terms of `NamedTensor.blocks`: each is valid until the next one is asked for. */
  readonly body: Blocks | AsyncIterable<Uint8Array>
}

/** A media type that tensors can be sent as. A format declares its properties; no other code depends on which one it is. */
export interface Format extends FormatRules {
  /** Label in metrics and the log. */
  readonly name: string
  /** The media types it answers to, the usual one first. */
  readonly mediaTypes: readonly [string, ...string[]]
  readonly limit: 'MAX_JSON_RESPONSE_BYTES' | 'MAX_RESPONSE_BYTES'
  encode(answer: Answer, options: FormatOptions): EncodedAnswer
}
