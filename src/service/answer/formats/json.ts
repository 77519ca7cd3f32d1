import { type Answer, countFields } from '../../../first-layer/answer.js'
import type { FormatRules } from '../../../first-layer/embedding-plan.js'
import type { Blocks } from '../../../first-layer/tensors/blocks.js'
import { byteLength } from '../../../first-layer/tensors/named-tensor.js'
import { base64 } from '../base64.js'
import { jsonAnswer } from '../json-parts.js'
import { nestedArrays } from '../number-text.js'

/** Names, shapes and numbers as text that every language reads. */
export const json: Format = {
  name: 'json',
  mediaTypes: ['application/json'],
  single: false,
  limit: 'MAX_JSON_RESPONSE_BYTES',
  encode(answer, { encodingFormat }) {
    const { model, modelVersion, tensors, metadata } = answer
    const isBase64 = encodingFormat === 'base64'
    const outputs = tensors.map((tensor) => {
      const { name, dtype, shape } = tensor
      const data = isBase64 ? base64(tensor, byteLength(tensor)) : nestedArrays(tensor)
      return [name, { dtype, shape, data }] as const
    })
    const value = {
      ...{ ...answer.facts, model, model_version: modelVersion },
      ...Object.fromEntries(countFields(answer.counts)),
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      outputs: Object.fromEntries(outputs),
    }
    return jsonAnswer(value, isBase64, modelVersion === undefined ? {} : { 'x-model-version': modelVersion })
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
  readonly body: Blocks
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
