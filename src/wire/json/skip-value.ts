import { PAUSE, type Steps } from '../../first-layer/steps.js'
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  isSpace,
  OPEN_LIST,
  OPEN_OBJECT,
  PLAIN,
  QUOTE,
} from './characters.js'
import { invalidJson } from './invalid-json.js'
import { type JsonPlace, STEP_BYTES } from './json-place.js'

/** Moves behind the value that begins here, which may be of any length and depth: its strings and brackets must end. */
export function* skipValue(place: JsonPlace): Steps<void> {
  const { bytes, byte: first } = place
  if (first === undefined || first === COMMA || first === CLOSE_LIST || first === CLOSE_OBJECT) {
    throw place.invalid()
  }
  let depth = 0
  let isInString = false
  let at = place.at
  const ends = (end: number): void => {
    place.at = end
  }
  for (;;) {
    const stop = Math.min(at + STEP_BYTES, bytes.length)
    while (at < stop) {
      const byte = bytes[at]
      if (isInString) {
        if (PLAIN[byte] === 1) at++
        else if (byte === BACKSLASH) at += 2
        else if (byte === QUOTE) {
          isInString = false
          at++
          if (depth === 0) return ends(at)
        } else throw invalidJson(bytes, at)
        continue
      }
      if (byte === QUOTE) isInString = true
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        if (depth === 0) return ends(at)
        if (--depth === 0) return ends(at + 1)
      } else if (depth === 0 && (byte === COMMA || isSpace(byte))) return ends(at)
      at++
    }
    if (at >= bytes.length) throw invalidJson(bytes, bytes.length)
    yield PAUSE
  }
}
