import { type InletError, Refused } from '../../../../clients/typescript/src/index.js'

/** How the page treats a call without an answer. */
export type State =
  /** It asks for a key. */
  | { readonly kind: 'key' }
  /** It asks again after `seconds`. */
  | { readonly kind: 'offline' | 'busy'; readonly seconds: number }
  /** It offers the text cut. */
  | { readonly kind: 'too-large' }
  /** It shows the reason, beside the field or above all cards. */
  | { readonly kind: 'field' | 'refused' }

/** Seconds until a silent service is asked again: longer each time. */
const SILENT_SECONDS = [2, 4, 8, 15, 30]

/** Seconds until a busy service is asked again if it names none. */
const BUSY_SECONDS = 5

/** A waiting service may not make the page wait for hours. */
const MOST_SECONDS = 120

/** Fields of the recipe bar: an error that names one of them is shown beside it. */
const FIELDS =
  'text input_ids documents context_length stride tail pad_token_id batch_size position_embedding position_offset packing long_documents epoch rank world_size shuffle seed architecture model'.split(
    ' ',
  )

/** @param attempts how often the page has asked in vain, this time among them */
export function stateOf(error: InletError, attempts: number): State {
  if (!(error instanceof Refused) || error.status === 502 || error.status === 504) {
    return { kind: 'offline', seconds: SILENT_SECONDS[Math.min(attempts, SILENT_SECONDS.length) - 1] }
  }
  const { status, code, param, retryAfter } = error
  if (status === 401) return { kind: 'key' }
  if (status === 503) {
    return {
      kind: 'busy',
      seconds: Math.min(MOST_SECONDS, Math.max(1, Math.ceil(retryAfter ?? BUSY_SECONDS))),
    }
  }
  if (status === 413 && code !== 'response_too_large') return { kind: 'too-large' }
  return { kind: isField(param) ? 'field' : 'refused' }
}

function isField(param: string | null): boolean {
  return FIELDS.some((field) => param === field || param?.startsWith(`${field}.`))
}

/**
 * The beginning of a text whose request has at most `limit` bytes of JSON, between two characters. A text of which JSON
 * writes some characters longer is cut by its share of them, then by a tenth as often as it needs.
 *
 * @param fieldsOf the fields that carry a text
 */
export function cutToFit(text: string, limit: number, fieldsOf: (text: string) => object): string {
  const sizeOf = (each: string) => bytesOf(JSON.stringify(fieldsOf(each)))
  let cut = text
  for (let size = sizeOf(cut); size > limit && cut !== ''; size = sizeOf(cut)) {
    const share = Math.min(0.99, (limit / size) * 0.999)
    cut = cutAt(cut, Math.floor(cut.length * share))
  }
  return cut
}

/** The first `length` UTF-16 units; a character is not cut in two. */
export function cutAt(text: string, length: number): string {
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
