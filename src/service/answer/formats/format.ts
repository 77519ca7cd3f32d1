import type { Answer } from '../../../first-layer/answer.js'
import type { FormatRules } from '../../../first-layer/embedding-plan.js'
import type { Blocks } from '../../../first-layer/steps.js'

/** How JSON carries a tensor's elements: nested arrays of numbers, or base64 of the little-endian bytes. */
export type EncodingFormat = 'float' | 'base64'

export interface FormatOptions {
  readonly encodingFormat: EncodingFormat
}

/** An answer as bytes that flow; none is made before the first block is asked for. */
export interface EncodedAnswer {
  /** Bytes of the body. */
  readonly size: number
  /**
   * Whether `size` is exact. For JSON it is an estimate: the length of numbers is known only when they are
   * written.
   */
  readonly exact: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Blocks under the terms of `NamedTensor.blocks`: each is valid until the next one is asked for. */
  readonly body: Blocks | AsyncIterable<Uint8Array>
}

/**
 * A media type that tensors can be sent as. A format declares its properties; no other code depends on which one
 * it is.
 */
export interface Format extends FormatRules {
  /** Label in metrics and the log. */
  readonly name: string
  /** The media types it answers to, the usual one first. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** The limit for the size of its answers. */
  readonly limit: 'MAX_JSON_RESPONSE_BYTES' | 'MAX_RESPONSE_BYTES'
  encode(answer: Answer, options: FormatOptions): EncodedAnswer
}
