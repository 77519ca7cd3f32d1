/** A bit for each token of a dataset, the lowest of a byte first: whether it is trained. */
export type TokenMask = Uint8Array<SharedArrayBuffer | ArrayBuffer>

export function isTrained(mask: TokenMask, place: number): boolean {
  return ((mask[Math.floor(place / 8)] >> (place % 8)) & 1) === 1
}

/** Trained tokens of a range. */
export function countTrained(mask: TokenMask, from: number, to: number): number {
  let count = 0
  for (let place = from; place < to; ) {
    if (place % 8 === 0 && place + 8 <= to) {
      count += BITS[mask[place / 8]]
      place += 8
    } else count += isTrained(mask, place++) ? 1 : 0
  }
  return count
}

/** Bits that are set in each byte. */
const BITS = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length)
