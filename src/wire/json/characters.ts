export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_LIST = 0x5b
export const CLOSE_LIST = 0x5d
export const OPEN_OBJECT = 0x7b
export const CLOSE_OBJECT = 0x7d

/** JSON's white space: space, tab, line feed, carriage return. */
export function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte <= 0x0d && (byte === 0x0a || byte === 0x0d || byte === 0x09))
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** 1 for each byte that stands for itself in a string: all but quotes, backslashes and control characters. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH),
)
