import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Vocabulary } from '../../first-layer/tokens/vocabulary.js'

/** The bytes of tokens as a JSON string has them: token `id` is `bytes[offsets[id] … offsets[id + 1]]`. */
export type EscapedTokens = Pick<Vocabulary, 'bytes' | 'offsets'>

/** Tokens escaped between two pauses. */
const SLICE = 4096
/** Most bytes that escaping makes of one byte. */
export const MAX_ESCAPE_BYTES = '\\u0000'.length

/** JSON's escapes for bytes that a string must not contain: `\n`, `\"`, `\u0000`. */
const ESCAPES = Array.from({ length: 0x100 }, (_, byte) => {
  const escaped = byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1) : ''
  return escaped.length > 1 ? Buffer.from(escaped) : undefined
})

const byVocabulary = new WeakMap<Vocabulary, EscapedTokens>()

/**
 * A vocabulary with quotes, backslashes and control characters escaped: `"` → `\"`. Escaping token by token gives
 * the same as escaping the whole text, since these characters are ASCII, and no ASCII byte is part of a longer
 * character. Made at the first use, and kept.
 */
export function* escapedTokens(vocabulary: Vocabulary): Steps<EscapedTokens> {
  let tokens = byVocabulary.get(vocabulary)
  if (tokens === undefined) {
    tokens = yield* escapeAll(vocabulary)
    byVocabulary.set(vocabulary, tokens)
  }
  return tokens
}

function* escapeAll({ size, bytes, offsets }: Vocabulary): Steps<EscapedTokens> {
  const parts: Buffer[] = []
  const starts = new Uint32Array(size + 1)
  for (let first = 0; first < size; first += SLICE) {
    yield PAUSE
    const last = Math.min(first + SLICE, size)
    const out = Buffer.allocUnsafe(MAX_ESCAPE_BYTES * (offsets[last] - offsets[first]))
    let at = 0
    for (let id = first; id < last; id++) {
      for (let i = offsets[id]; i < offsets[id + 1]; i++) {
        const escaped = ESCAPES[bytes[i]]
        if (escaped === undefined) out[at++] = bytes[i]
        else at += escaped.copy(out, at)
      }
      starts[id + 1] = starts[first] + at
    }
    parts.push(out.subarray(0, at))
  }
  return { bytes: Buffer.concat(parts), offsets: starts }
}
