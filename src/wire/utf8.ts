import { isUtf8 } from 'node:buffer'

/** Bytes of the sequence that a lead byte opens; 0 where it opens none (continuations, C0, C1, F5 … FF). */
function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  if (lead < 0xc2) return 0
  if (lead < 0xe0) return 2
  if (lead < 0xf0) return 3
  return lead < 0xf5 ? 4 : 0
}

/** Bytes at the end of `bytes` that open a sequence and do not complete it: 0 … 3. `[0x61, 0xc3]` → 1. */
export function openTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    if ((byte & 0xc0) === 0x80) continue
    return sequenceLength(byte) > back ? back : 0
  }
  return 0
}

/** Offset of the first byte that is not part of valid UTF-8, or −1. A cut sequence counts where it begins. */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  if (isUtf8(bytes)) return -1
  // A binary search: the text up to `valid` is always valid UTF-8, the text up to `invalid` is not.
  let valid = 0
  let invalid = bytes.length
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1
    const prefix = bytes.subarray(valid, middle)
    const whole = prefix.subarray(0, prefix.length - openTail(prefix))
    if (!isUtf8(whole)) invalid = middle
    else if (whole.length > 0) valid += whole.length
    else break // only one cut or broken sequence is left
  }
  return valid
}

/**
 * Checks text that arrives in chunks, sequences cut anywhere.
 * `check` answers −1, or the offset in the whole text of the first byte that is not UTF-8.
 */
export class Utf8Checker {
  #offset = 0
  #open = Buffer.alloc(0)

  check(chunk: Uint8Array): number {
    const bytes = this.#open.length === 0 ? chunk : Buffer.concat([this.#open, chunk])
    const tail = openTail(bytes)
    const whole = bytes.subarray(0, bytes.length - tail)
    const invalid = invalidUtf8Offset(whole)
    if (invalid >= 0) return this.#offset + invalid
    this.#open = Buffer.from(bytes.subarray(bytes.length - tail))
    this.#offset += whole.length
    return -1
  }

  /** Called at the end of the text: answers as `check` does, for a sequence that the end cuts. */
  end(): number {
    return this.#open.length === 0 ? -1 : this.#offset
  }
}
