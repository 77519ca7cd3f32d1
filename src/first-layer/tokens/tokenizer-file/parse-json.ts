import { InletError } from '../../errors.js'
import { fileError, isObject, type JsonObject } from './fields.js'

/** Nested arrays and objects; the Rust library allows twice as many. */
const MAX_NESTING = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Parses a file that must be a JSON object. @throws InletError `model_failed` for other text, or too deep nesting */
export function parseJsonFile(file: string, text: string): JsonObject {
  if (nestingOf(text) > MAX_NESTING)
    throw new InletError('model_failed', `${file} must nest at most ${MAX_NESTING} arrays and objects`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200).toWellFormed() : ''
    throw new InletError('model_failed', `${file} must be JSON. ${reason}`)
  }
  if (!isObject(value)) throw fileError({ file, path: '' }, '', 'a JSON object', value)
  return value
}

/** The most arrays and objects open at one place, strings left out: `{"a":["[["]}` → 2. */
function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === QUOTE) i = endOfString(text, i)
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return deepest
}

function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === BACKSLASH) i++
    else if (unit === QUOTE) return i
  }
  return text.length
}
