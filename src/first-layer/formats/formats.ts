import { type Answer, countFields, fileMetadata } from '../answer.js'
import type { FormatRules } from '../embedding-plan.js'
import type { Blocks, Written } from '../tensors/blocks.js'
import { byteLength } from '../tensors/named-tensor.js'
import { noNpyType, npyFile } from '../tensors/npy.js'
import { safetensorsFile } from '../tensors/safetensors/safetensors-file.js'
import { torchFile } from '../tensors/torch/torch-file.js'
import { base64 } from './base64.js'
import { jsonAnswer, nestedArrays } from './json.js'

/** An answer as bytes that flow; none is made before the first block is asked for. */
export interface Encoded {
  readonly size: number
  /** Whether `size` is exact. For JSON it is an estimate: the length of numbers is known only when they are written. */
  readonly exact: boolean
  /** Blocks under the terms of `NamedTensor.blocks`: each is valid until the next one is asked for. */
  readonly body: Blocks
}

/** A form of tensors as bytes. A format declares its properties; no other code depends on which one it is. */
export interface Format extends FormatRules {
  /** Label in metrics and the log. */
  readonly name: string
  /** The media types it answers to, the usual one first. */
  readonly mediaTypes: readonly [string, ...string[]]
  /** It is text, and has the answer's counts in it. */
  readonly isText?: boolean
  /** It has elements alone: not the tensor's name, type and shape. */
  readonly isBare?: boolean
  encode(answer: Answer, encodingFormat?: EncodingFormat): Encoded
}

const exactly = ({ bytes, blocks }: Written): Encoded => ({ size: bytes, exact: true, body: blocks() })

/** How JSON carries a tensor's elements: nested arrays of numbers, or base64 of the little-endian bytes. */
export type EncodingFormat = 'float' | 'base64'

/** Names, shapes and numbers as text that every language reads. */
const json: Format = {
  name: 'json',
  mediaTypes: ['application/json'],
  single: false,
  isText: true,
  encode({ facts, model, modelVersion, counts, tensors, metadata }, encodingFormat) {
    const isBase64 = encodingFormat === 'base64'
    const outputs = tensors.map((tensor) => {
      const { name, dtype, shape } = tensor
      const data = isBase64 ? base64(tensor, byteLength(tensor)) : nestedArrays(tensor)
      return [name, { dtype, shape, data }] as const
    })
    const value = {
      ...{ ...facts, model, model_version: modelVersion },
      ...Object.fromEntries(countFields(counts)),
      metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
      outputs: Object.fromEntries(outputs),
    }
    return jsonAnswer(value, isBase64)
  },
}

/** All tensors in one file, as `safetensors.numpy.load` and its kin read it; the facts are its `__metadata__`. */
export const safetensors: Format = {
  name: 'safetensors',
  mediaTypes: ['application/vnd.safetensors', 'application/x-safetensors'],
  single: false,
  encode: (answer) => exactly(safetensorsFile(fileMetadata(answer), answer.tensors)),
}

/** One tensor as NumPy's own file. NumPy has no bfloat16. */
const npy: Format = {
  name: 'npy',
  mediaTypes: ['application/x-npy'],
  single: true,
  refuses: noNpyType,
  encode: ({ tensors: [tensor] }) => exactly(npyFile(tensor)),
}

/** One tensor's bytes and nothing else: little-endian, row-major. */
const raw: Format = {
  name: 'raw',
  mediaTypes: ['application/octet-stream'],
  single: true,
  isBare: true,
  encode: ({ tensors: [tensor] }) => ({ size: byteLength(tensor), exact: true, body: tensor.blocks() }),
}

/** One tensor as PyTorch's own file: `torch.load(file, weights_only=True)`. */
const pytorch: Format = {
  name: 'pt',
  mediaTypes: ['application/x-pytorch'],
  single: true,
  encode: ({ tensors: [tensor] }) => exactly(torchFile(tensor)),
}

/** Every format that tensors can be sent as, the default first. */
export const FORMATS: readonly Format[] = [json, safetensors, npy, raw, pytorch]
