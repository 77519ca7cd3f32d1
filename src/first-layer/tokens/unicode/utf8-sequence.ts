/** Bytes of the sequence that a lead byte opens; 0 for other bytes (continuations, C0, C1, F5 … FF). */
export function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xc2) return 0
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf5 ? 4 : 0
}

/** Bytes of an incomplete sequence at the end of `bytes`: 0 … 3. `[0x61, 0xc3]` → 1. */
export function openTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if ((byte & 0xc0) === 0x80) continue
    return sequenceLength(byte) > back ? back : 0
  }
  return 0
}

/** Bytes of a character: U+00E9 → 2. */
export function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}
