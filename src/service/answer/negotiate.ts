import { FORMATS, type Format } from '../../first-layer/formats/formats.js'
import { InletError } from './error-table.js'

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
  return { mediaType, format: byMediaType.get(mediaType) ?? FORMATS[0] }
}

/**
 * Chooses the type of `available` that `Accept` prefers. If it allows JSON alone and JSON is not available,
 * the first one: errors are JSON, and many generated clients name no other type (RFC 9110 §12.5.1).
 */
export function preferred(accept: string | undefined, available: readonly string[]): string {
  if (accept === undefined || accept === '*/*' || accept.trim() === '') return available[0]
  if (available.includes(accept)) return accept // most callers name just one type
  const ranges = accept.toLowerCase().split(',').map(rangeOf)
  const [best] = available
    .map((type) => weightOf(type, ranges))
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q || b.fit - a.fit || a.order - b.order)
  if (best !== undefined) return best.type
  if (weightOf('application/json', ranges).q > 0) return available[0]
  const message = `\`Accept\` must allow one of ${available.join(', ')}. Given: ${accept}`
  throw new InletError('not_acceptable', message, 'accept')
}

interface MediaRange {
  /** `a/b`, or of a kind or all, and parameters that are not of every answer: `text/plain;version=0.0.4`. */
  readonly range: string
  readonly q: number
  readonly order: number
}

/** `application/json; charset=utf-8;q=0.5`: a charset of UTF-8 is that of every answer. */
function rangeOf(text: string, order: number): MediaRange {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim())
  const others = parameters.filter((each) => !/^(q=.*|charset="?utf-?8"?|)$/.test(each))
  const q = parameters.find((each) => each.startsWith('q='))?.slice(2) ?? '1'
  return { range: [range, ...others].join(';'), q: Number.parseFloat(q), order }
}

/** The weight that the most specific range gives a type; 0: none. */
function weightOf(type: string, ranges: readonly MediaRange[]) {
  const forms = ['*/*', `${type.split('/')[0]}/*`, type]
  const fits = ranges.map(({ range, q, order }) => ({ type, q, order, fit: forms.indexOf(range) }))
  const [best] = fits.filter(({ fit }) => fit >= 0).sort((a, b) => b.fit - a.fit || b.q - a.q)
  return best ?? { type, q: 0, order: 0, fit: 0 }
}
