import { isUtf8 } from 'node:buffer'
import type { Ids } from '../tokens/ids.js'
import type { Vocabulary } from '../tokens/vocabulary.js'
import { openTail } from './utf8.js'

/** Bytes of a part at most. */
export const TEXT_PART_BYTES = 1 << 14

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })

/** A part of a text, whole characters. */
export interface TextPart {
  readonly text: string
  /** It has bytes that are not UTF-8: they came as U+FFFD. */
  readonly lossy: boolean
}

/**
 * The text of ids in parts that together are what all their bytes would give at once: [15496, 11, 995, 0] in `gpt2` →
 * `Hello, world!`. Each part takes some tenths of a millisecond.
 *
 * @param bytes how many bytes the ids have in all
 */
export function* textParts(
  { bytes: tokens, offsets }: Vocabulary,
  ids: Ids,
  bytes: number,
): Generator<TextPart, void, void> {
  const utf8 = Buffer.allocUnsafe(Math.min(bytes, TEXT_PART_BYTES))
  let length = 0
  for (const id of ids) {
    const end = offsets[id + 1]
    for (let at = offsets[id]; at < end; at++) {
      if (length === utf8.length) {
        const whole = length - openTail(utf8)
        yield textPart(utf8.subarray(0, whole))
        length = utf8.copy(utf8, 0, whole) // what opens a character waits for its rest
      }
      utf8[length++] = tokens[at]
    }
  }
  yield textPart(utf8.subarray(0, length))
}

function textPart(utf8: Buffer): TextPart {
  if (isUtf8(utf8)) return { text: utf8.toString(), lossy: false }
  return { text: lenient.decode(utf8), lossy: true }
}
