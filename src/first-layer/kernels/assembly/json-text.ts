// The content of JSON strings as UTF-8, sixteen bytes at a time, in a small memory of its own with the layout below.

/** Bytes that one call reads at most. */
export const MOST: i32 = 16384
/** Where the content is put; a store of sixteen bytes may touch as many behind each. */
export const IN: usize = 4096
export const OUT: usize = 32768

const BACKSLASH: u8 = 0x5c
const LETTER_U: u8 = 0x75

/** The character that the byte after a backslash means; 0: it may not follow one. */
const MEANT = memory.data(256)
/** The value of a hexadecimal digit; 0xff: another byte. */
const DIGIT = memory.data(256)

function mean(letter: u8, meant: u8): void {
  store<u8>(MEANT + letter, meant)
}

mean(0x22, 0x22)
mean(0x5c, 0x5c)
mean(0x2f, 0x2f)
mean(0x62, 0x08)
mean(0x66, 0x0c)
mean(0x6e, 0x0a)
mean(0x72, 0x0d)
mean(0x74, 0x09)
memory.fill(DIGIT, 0xff, 256)
for (let digit: u8 = 0; digit < 10; digit++) store<u8>(DIGIT + 0x30 + digit, digit)
for (let digit: u8 = 10; digit < 16; digit++) {
  store<u8>(DIGIT + 0x57 + digit, digit) // a … f
  store<u8>(DIGIT + 0x37 + digit, digit) // A … F
}

/** Bytes that the last call wrote to `OUT`. */
export let written: i32 = 0

/** The unit of the escape `\uXXXX` at `at`; above 0xffff where it is none. */
// @inline
function unitAt(at: usize): u32 {
  if (load<u8>(at) !== BACKSLASH || load<u8>(at, 1) !== LETTER_U) return 0x10000
  const first = <u32>load<u8>(DIGIT + <usize>load<u8>(at, 2))
  const second = <u32>load<u8>(DIGIT + <usize>load<u8>(at, 3))
  const third = <u32>load<u8>(DIGIT + <usize>load<u8>(at, 4))
  const fourth = <u32>load<u8>(DIGIT + <usize>load<u8>(at, 5))
  if ((first | second | third | fourth) > 15) return 0x10000
  return (first << 12) | (second << 8) | (third << 4) | fourth
}

/** Writes a character as UTF-8; returns its bytes. */
function writeCharacter(out: usize, character: u32): usize {
  if (character < 0x80) {
    store<u8>(out, <u8>character)
    return 1
  }
  const last = 0x80 | (character & 0x3f)
  if (character < 0x800) {
    store<u8>(out, 0xc0 | (character >> 6))
    store<u8>(out, last, 1)
    return 2
  }
  const third = 0x80 | ((character >> 6) & 0x3f)
  if (character < 0x10000) {
    store<u8>(out, 0xe0 | (character >> 12))
    store<u8>(out, third, 1)
    store<u8>(out, last, 2)
    return 3
  }
  store<u8>(out, 0xf0 | (character >> 18))
  store<u8>(out, 0x80 | ((character >> 12) & 0x3f), 1)
  store<u8>(out, third, 2)
  store<u8>(out, last, 3)
  return 4
}

/**
 * Writes `bytes` bytes of a string's content at `IN` to `OUT` as UTF-8. Stops before a quote, a control character, an
 * escape that is broken or goes on behind the bytes, and half a surrogate pair. Returns the bytes read.
 */
export function readContent(bytes: i32): i32 {
  const end = IN + <usize>bytes
  let at = IN
  let out = OUT
  while (at < end) {
    const block = v128.load(at)
    v128.store(out, block)
    const isControl = i8x16.lt_u(block, i8x16.splat(0x20))
    const isQuote = i8x16.eq(block, i8x16.splat(0x22))
    const isBackslash = i8x16.eq(block, i8x16.splat(0x5c))
    const mask = i8x16.bitmask(v128.or(v128.or(isControl, isQuote), isBackslash))
    const plain = min(<usize>ctz(mask | 0x10000), end - at)
    at += plain
    out += plain
    if (plain === 16 || at === end) continue
    if (load<u8>(at) !== BACKSLASH || at + 2 > end) break
    const letter = load<u8>(at, 1)
    if (letter !== LETTER_U) {
      const meant = load<u8>(MEANT + <usize>letter)
      if (meant === 0) break
      store<u8>(out++, meant)
      at += 2
      continue
    }
    if (at + 6 > end) break
    let character = unitAt(at)
    if (character > 0xffff) break
    let read: usize = 6
    if ((character & 0xf800) === 0xd800) {
      if (character >= 0xdc00 || at + 12 > end) break
      const low = unitAt(at + 6)
      if ((low & 0x1fc00) !== 0xdc00) break
      character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00)
      read = 12
    }
    out += writeCharacter(out, character)
    at += read
  }
  written = <i32>(out - OUT)
  return <i32>(at - IN)
}
