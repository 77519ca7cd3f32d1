/**
 * Fills `out` with numbers of `width` bits, at most 24, in Parquet's hybrid of runs and packed bits: `06 01` of width 1 is 1, 1, 1. Source:
 * "RLE/Bit-Packing Hybrid" of Parquet's Encodings.md. A run beyond the end of `out` is cut: a broken file costs no more than a whole one.
 *
 * @throws Error where the bytes end before
 */
export function readRuns<Numbers extends Uint8Array | Int32Array>(
  bytes: Uint8Array,
  width: number,
  out: Numbers,
): Numbers {
  const runs = new Runs(bytes)
  for (let at = 0; at < out.length; ) {
    const header = runs.varint()
    const count = Math.min(header & 1 ? 8 * (header >>> 1) : header >>> 1, out.length - at)
    if (header & 1) runs.unpack(width, 8 * (header >>> 1), out, at, count)
    else out.fill(runs.number(Math.ceil(width / 8)), at, at + count)
    at += count
  }
  return out
}

class Runs {
  #at = 0

  constructor(private readonly bytes: Uint8Array) {}

  /** Seven bits a byte, the lowest first. */
  varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.number(1)
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
    throw new Error('a run is too long')
  }

  /** A little-endian number. */
  number(bytes: number): number {
    const end = this.#at + bytes
    if (end > this.bytes.length) throw new Error('its runs end before its values')
    let value = 0
    for (let shift = 0; this.#at < end; shift += 8) value |= this.bytes[this.#at++]! << shift
    return value
  }

  /** Reads `count` of `packed` numbers, whose bits follow each other. Bytes that are cut at the end are zeros. */
  unpack(width: number, packed: number, out: Uint8Array | Int32Array, first: number, count: number): void {
    const mask = (1 << width) - 1
    let [bits, have] = [0, 0]
    let at = this.#at
    for (let i = 0; i < count; i++) {
      for (; have < width; have += 8) bits |= (this.bytes[at++] ?? 0) << have
      out[first + i] = bits & mask
      bits >>>= width
      have -= width
    }
    if (this.#at + Math.ceil((count * width) / 8) > this.bytes.length)
      throw new Error('its runs end before its values')
    this.#at = Math.min(this.bytes.length, this.#at + (packed * width) / 8)
  }
}
