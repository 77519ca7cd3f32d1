import { byteLength, elementCount, type NamedTensor } from '../../named-tensor.js'
import { type Answer, countFields } from '../answer.js'
import { base64Length, base64Text } from '../base64.js'
import { nestedArrayText } from '../nested-arrays.js'
import type { EncodingFormat, Format } from './format.js'

/** What a number is counted as before it is known, its comma included. */
const FLOAT_BYTES = 14
const ID_BYTES = 7

/** Everything before the tensors: `{"model":"default","num_tokens":9,…,"outputs":{`. */
function opening(answer: Answer): string {
  const fields = [['model', answer.model] as const, ...countFields(answer.counts)]
  const metadata = Object.keys(answer.metadata).length > 0 ? [['metadata', answer.metadata] as const] : []
  const members = [...fields, ...metadata].map(
    ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  return `{${members.join(',')},"outputs":{`
}

function tensorOpening({ name, dtype, shape }: NamedTensor, index: number): string {
  const comma = index === 0 ? '' : ','
  return `${comma}${JSON.stringify(name)}:{"dtype":"${dtype}","shape":${JSON.stringify(shape)},"data":`
}

const CLOSING = '}}'

async function* text(answer: Answer, encodingFormat: EncodingFormat): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(opening(answer))
  for (const [index, tensor] of answer.tensors.entries()) {
    yield Buffer.from(tensorOpening(tensor, index))
    yield* encodingFormat === 'base64' ? base64Text(tensor) : nestedArrayText(tensor)
    yield Buffer.from('}')
  }
  yield Buffer.from(CLOSING)
}

function frameBytes(answer: Answer): number {
  const frames = answer.tensors.map((tensor, index) => Buffer.byteLength(tensorOpening(tensor, index)) + 1)
  return frames.reduce((sum, bytes) => sum + bytes, Buffer.byteLength(opening(answer)) + CLOSING.length)
}

function dataBytes(tensor: NamedTensor, encodingFormat: EncodingFormat): number {
  if (encodingFormat === 'base64') return base64Length(byteLength(tensor)) + 2 // its quotes
  return elementCount(tensor.shape) * (tensor.dtype === 'int32' ? ID_BYTES : FLOAT_BYTES)
}

function size(answer: Answer, encodingFormat: EncodingFormat): number {
  return answer.tensors.reduce((sum, tensor) => sum + dataBytes(tensor, encodingFormat), frameBytes(answer))
}

/** Names, shapes and numbers as text that every language reads. */
export const json: Format = {
  name: 'json',
  mediaTypes: ['application/json'],
  single: false,
  limit: 'maxJsonResponseBytes',
  size: (answer, { encodingFormat }) => size(answer, encodingFormat),
  encode(answer, { encodingFormat }) {
    return {
      contentLength: encodingFormat === 'base64' ? size(answer, encodingFormat) : undefined,
      headers: {},
      body: text(answer, encodingFormat),
    }
  },
}
