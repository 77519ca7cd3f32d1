/** Where tokens begin in a text: n + 1 places, the last one its end. */
export interface Places {
  /** The UTF-16 index of the character that a token begins in. */
  readonly chars: Int32Array
  /** The byte at which that character begins: less than the token's own where that begins within the character. */
  readonly bytes: Int32Array
}

/** @param starts where tokens begin in the text's UTF-8, and where the last one ends */
export function placesOf(text: string, starts: Int32Array): Places {
  const chars = new Int32Array(starts.length).fill(text.length)
  const bytes = starts.slice()
  let byte = 0
  let token = 0
  for (let index = 0; index < text.length && token < starts.length; ) {
    const code = text.codePointAt(index) as number
    const end = byte + (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)
    while (token < starts.length && starts[token] < end) {
      bytes[token] = byte
      chars[token++] = index
    }
    byte = end
    index += code < 0x10000 ? 1 : 2
  }
  return { chars, bytes }
}

/** The text of a token, its broken characters whole: half an emoji is the emoji. */
export function tokenText(text: string, { chars, bytes }: Places, starts: Int32Array, token: number): string {
  const next = chars[token + 1]
  const isWhole = starts[token + 1] === bytes[token + 1]
  return text.slice(chars[token], isWhole ? next : next + charLength(text, next))
}

/** The bytes of a token: "é" → [0xc3, 0xa9]. */
export function tokenBytes(text: string, places: Places, starts: Int32Array, token: number): Uint8Array {
  const skipped = starts[token] - places.bytes[token]
  const whole = new TextEncoder().encode(tokenText(text, places, starts, token))
  return whole.subarray(skipped, skipped + starts[token + 1] - starts[token])
}

/** [0xc3, 0xa9] → "c3 a9". */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' ')
}

/** A token's text as it is shown: spaces and line ends as signs. */
export function visible(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\n', '↵').replaceAll('\t', '→').replaceAll('\r', '␍')
}

function charLength(text: string, index: number): number {
  return (text.codePointAt(index) as number) < 0x10000 ? 1 : 2
}
