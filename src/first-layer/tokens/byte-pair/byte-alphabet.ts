/**
 * GPT-2's alphabet: byte-level vocabularies write each byte as one visible character. Bytes that are visible in Latin-1
 * stand for themselves, the others for U+0100 and up, in order: `Ġ` (U+0120) is the blank.
 */
export const ALPHABET: readonly string[] = alphabet()

const BYTES = new Map(ALPHABET.map((character, byte) => [character.charCodeAt(0), byte]))

/** The bytes of a token written in the alphabet: `Ġa` → 20 61. Undefined if a character is not in it. */
export function bytesOfWritten(token: string): Uint8Array | undefined {
  const bytes = new Uint8Array(token.length)
  for (let i = 0; i < token.length; i++) {
    const byte = BYTES.get(token.charCodeAt(i))
    if (byte === undefined) return undefined
    bytes[i] = byte
  }
  return bytes
}

function alphabet(): string[] {
  const isVisible = (byte: number) =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isVisible(byte) ? byte : next++))
}
