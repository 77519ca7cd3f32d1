/** Arrays are kept in sizes of powers of two, from 2^10 to 2^20 ids, and at most so many bytes of them. */
const LEAST_BITS = 10
const MOST_BITS = 20
const KEPT_BYTES = 1 << 24

const kept: ArrayBuffer[][] = []
let keptBytes = 0

/**
 * An array for ids, whose elements are those of an earlier use: all are written before they are read. Made anew for each
 * batch, such arrays would be a third of its time, for the collector looks at everything to free what lies outside its heap.
 */
export function takeIds(length: number): Int32Array<ArrayBuffer> {
  const bits = Math.max(LEAST_BITS, 32 - Math.clz32(length - 1))
  const buffer = kept[bits]?.pop()
  if (buffer !== undefined) {
    keptBytes -= buffer.byteLength
    return new Int32Array(buffer, 0, length)
  }
  const most = bits > MOST_BITS ? length : 1 << bits
  return new Int32Array(Buffer.allocUnsafeSlow(4 * most).buffer, 0, length)
}

/** Gives an array back; nobody reads it any more. */
export function giveIds({ buffer }: Int32Array<ArrayBuffer>): void {
  const { byteLength } = buffer
  const bits = 29 - Math.clz32(byteLength)
  if (bits > MOST_BITS || keptBytes + byteLength > KEPT_BYTES) return
  kept[bits] ??= []
  kept[bits].push(buffer)
  keptBytes += byteLength
}
