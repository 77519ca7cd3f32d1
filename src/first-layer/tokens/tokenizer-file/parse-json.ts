import { InletError, visible } from '../../errors.js'
import { endOfString, parsePythonJson } from '../../python-json.js'
import { fileError, isObject, type JsonObject } from './fields.js'

/** Nested arrays and objects; the Rust library allows twice as many. */
const MAX_NESTING = 64

const QUOTE = 0x22

/**
 * Parses a file that must be a JSON object.
 *
 * @param parse tokenizer.json is the Rust library's, which is strict; Python writes and reads the others
 * @throws InletError `model_failed` for other text, or too deep nesting
 */
export function parseJsonFile(
  file: string,
  text: string,
  parse: (text: string) => unknown = parsePythonJson,
): JsonObject {
  if (nestingOf(text) > MAX_NESTING)
    throw new InletError('model_failed', `${file} must nest at most ${MAX_NESTING} arrays and objects`)
  let value: unknown
  try {
    value = parse(text)
  } catch (error) {
    const reason = error instanceof Error ? visible(error.message.slice(0, 200)) : ''
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
    if (unit === QUOTE) i = endOfString(text, i) - 1
    else if (unit === 0x5b || unit === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return deepest
}
