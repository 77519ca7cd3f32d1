import Negotiator from 'negotiator'
import { byteLength } from '../../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../../first-layer/tensors/torch/torch-file.js'
import { countHeaders } from '../counts.js'
import { InletError } from '../error-table.js'
import type { Format } from './json.js'
import { json } from './json.js'
import { npy } from './npy.js'
import { safetensors } from './safetensors.js'

/** One tensor as PyTorch's own file: `torch.load(file, weights_only=True)`. */
const pytorch: Format = {
  name: 'pt',
  mediaTypes: ['application/x-pytorch'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const [tensor] = answer.tensors
    return {
      size: torchFileBytes(tensor),
      exact: true,
      headers: countHeaders(answer),
      body: torchFile(tensor),
    }
  },
}

/** One tensor's bytes and nothing else: little-endian, row-major. The headers give its name, type and shape. */
const raw: Format = {
  name: 'raw',
  mediaTypes: ['application/octet-stream'],
  single: true,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const [tensor] = answer.tensors
    return {
      size: byteLength(tensor),
      exact: true,
      headers: countHeaders(answer, {
        'x-tensor-name': tensor.name,
        'x-tensor-dtype': tensor.dtype,
        'x-tensor-shape': tensor.shape.join(','),
      }),
      body: tensor.blocks(),
    }
  },
}

/** Every format that tensors can be sent as, the default first. */
export const FORMATS: readonly Format[] = [json, safetensors, npy, raw, pytorch]

const byMediaType = new Map(
  FORMATS.flatMap((format) => format.mediaTypes.map((type) => [type, format] as const)),
)

const MEDIA_TYPES = [...byMediaType.keys()]

/** The media type of a route that `Accept` asks for. */
export interface Negotiated {
  readonly mediaType: string
  /** The format of that type, for answers that are tensors. */
  readonly format: Format
}

/**
 * Chooses the type that `Accept` prefers, or the first one if the header is absent. `application/x-npy, text/html;q=0.1` → npy.
 * @param available media types, or `tensors`: those of every format
 * @throws InletError `not_acceptable`, which lists the available media types
 */
export function negotiate(
  accept: string | undefined,
  available: readonly string[] | 'tensors' = 'tensors',
): Negotiated {
  const mediaType = preferred(accept, available === 'tensors' ? MEDIA_TYPES : available)
  return { mediaType, format: byMediaType.get(mediaType) ?? json }
}

/**
 * Chooses the type of `available` that `Accept` prefers. If it allows JSON alone and JSON is not available,
 * the first one: errors are JSON, and many generated clients name no other type (RFC 9110 §12.5.1).
 */
export function preferred(accept: string | undefined, available: readonly string[]): string {
  if (accept !== undefined && available.includes(accept)) return accept // most callers name just one type
  const negotiator = new Negotiator({ headers: { accept } })
  const chosen =
    negotiator.mediaType([...available]) ?? (negotiator.mediaType(['application/json']) && available[0])
  if (chosen !== undefined) return chosen
  const message = `\`Accept\` must allow one of ${available.join(', ')}. Given: ${accept}`
  throw new InletError('not_acceptable', message, 'accept')
}
