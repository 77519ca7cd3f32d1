import { InletError } from '../../errors.js'

/** The error for a byte at `at` that JSON does not allow there, or for a body that ends there. */
export function invalidJson(bytes: Buffer, at: number): InletError {
  const found = at < bytes.length ? `unexpected ${characterAt(bytes, at)}` : 'it ends too early'
  return new InletError('invalid_json', `The body must be JSON: ${found} at byte ${at}.`)
}

/** The character that begins at a byte, as a JSON string. */
function characterAt(bytes: Buffer, at: number): string {
  const [character] = bytes.toString('utf8', at, at + 4)
  return JSON.stringify(character)
}
