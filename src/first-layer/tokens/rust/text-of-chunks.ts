/** A text of which the library counts code points, and we count bytes. */
export interface CountedText {
  readonly text: string
  /** Where each code point begins in the UTF-8, and where the last one ends: `aé` → [0, 1, 3]. */
  readonly byteOffsets: Int32Array
  readonly characters: number
}

/** The text of UTF-8 bytes that are cut anywhere. */
export function textOfChunks(chunks: readonly Uint8Array[]): CountedText {
  const utf8 = Buffer.concat(chunks)
  const byteOffsets = new Int32Array(utf8.length + 1)
  let characters = 0
  for (let i = 0; i < utf8.length; i++) if ((utf8[i]! & 0xc0) !== 0x80) byteOffsets[characters++] = i
  byteOffsets[characters] = utf8.length
  // `toString` keeps a byte order mark, which is text like any other.
  return { text: utf8.toString('utf8'), byteOffsets, characters }
}
