import { byteText } from '../progress.js'
import { visible } from '../visible.js'

/** A dataset as the service shows it; a mixture has members in place of tokens. */
export interface DatasetObject {
  readonly id: string
  readonly name: string | null
  readonly encoding: string | null
  readonly num_documents?: number
  readonly num_tokens?: number
  readonly size_bytes?: number
  readonly mixture?: readonly { readonly dataset: string; readonly weight: number }[]
  readonly created: number
  readonly stored: string
}

/** `1` → `1 document`; `2000` → `2,000 documents`. */
export function countText(count: number, unit: string): string {
  return `${numberText(count)} ${unit}${count === 1 ? '' : 's'}`
}

export function numberText(number: number): string {
  return number.toLocaleString('en')
}

/** `3 documents, 964 tokens (gpt2), 1.9 kB on disk`; in memory it says so, since it ends with the service. */
export function factsText({
  num_documents,
  num_tokens,
  encoding,
  size_bytes,
  stored,
}: DatasetObject): string {
  const of = encoding === null ? 'ids of no encoding' : visible(encoding)
  const place = stored === 'disk' ? 'on disk' : `in ${visible(stored)}`
  return [
    countText(num_documents ?? 0, 'document'),
    `${countText(num_tokens ?? 0, 'token')} (${of})`,
    `${byteText(size_bytes ?? 0)} ${place}`,
  ].join(', ')
}
