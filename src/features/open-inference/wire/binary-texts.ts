import { isUtf8 } from 'node:buffer'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { InletError, quoted } from '../../../service/answer/error-table.js'
import { invalidUtf8Offset, Utf8Checker } from '../../../service/request/body/utf8.js'
import { invalid } from './invalid.js'

/** Bytes before each string: its length, little-endian. */
const LENGTH_BYTES = 4
/** Bytes that are checked at a time. */
const PIECE_BYTES = 65_536

/**
 * Reads a BYTES tensor: `05 00 00 00 68 65 6c 6c 6f` → one text, "hello".
 *
 * @param name the input's, for messages
 * @param count elements by its shape
 * @throws InletError `invalid_request` where lengths and bytes do not agree, `invalid_unicode`, `empty_input`
 */
export function* binaryTexts(bytes: Buffer, name: string, count: number): Steps<Buffer[]> {
  const texts: Buffer[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    yield PAUSE
    const start = at + LENGTH_BYTES
    const length = start <= bytes.length ? bytes.readUInt32LE(at) : 0
    if (start + length > bytes.length) {
      const rule = `must have ${count} strings, each with its length before it`
      throw new InletError('invalid_request', `${quoted(name)} ${rule}. String ${i} is cut off.`, name)
    }
    if (length === 0) {
      throw new InletError(
        'empty_input',
        `${quoted(`${name}.${i}`)} must not be empty. Given: ""`,
        `${name}.${i}`,
      )
    }
    const text = bytes.subarray(start, start + length)
    if (length > PIECE_BYTES) yield* checkUtf8(text, `${name}.${i}`)
    else if (!isUtf8(text)) refuse(invalidUtf8Offset(text), `${name}.${i}`)
    texts.push(text)
    at = start + length
  }
  if (at < bytes.length) {
    throw invalid(
      name,
      `must have ${count} strings, as its shape says; ${bytes.length - at} bytes stand behind them`,
      count,
    )
  }
  return texts
}

function* checkUtf8(text: Buffer, field: string): Steps<void> {
  const utf8 = new Utf8Checker()
  for (let at = 0; at < text.length; at += PIECE_BYTES) {
    if (at > 0) yield PAUSE
    refuse(utf8.check(text.subarray(at, at + PIECE_BYTES)), field)
  }
  refuse(utf8.end(), field)
}

function refuse(byte: number, field: string): void {
  if (byte < 0) return
  throw new InletError('invalid_unicode', `${quoted(field)} must be UTF-8: byte ${byte} is not.`, field)
}
