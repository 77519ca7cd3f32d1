import { InletError } from '../../errors.js'

/** The error for bytes that are not JSON. */
export class InvalidJson extends InletError {
  /** @param fault what stands where: `unexpected "}" at byte 9` */
  constructor(private readonly fault: string) {
    super('invalid_json', `The body must be JSON: ${fault}.`)
  }

  /** The same for a body whose lines are JSON. */
  inLine(line: number): InletError {
    return new InletError('invalid_json', `Line ${line} must be JSON: ${this.fault} of the line.`)
  }
}

/** The error for a byte at `at` that JSON does not allow there, or for a body that ends there. */
export function invalidJson(bytes: Buffer, at: number): InvalidJson {
  const found = at < bytes.length ? `unexpected ${characterAt(bytes, at)}` : 'it ends too early'
  return new InvalidJson(`${found} at byte ${at}`)
}

/** The character that begins at a byte, as a JSON string. */
function characterAt(bytes: Buffer, at: number): string {
  const [character] = bytes.toString('utf8', at, at + 4)
  return JSON.stringify(character)
}
