import { BASE64_OVERHANG, instantiateBase64Kernel } from '../kernels/base64-kernel.js'
import type { NamedTensor } from '../named-tensor.js'

/** Bytes turned to text at a time, whole groups of three: with their text they stay in a core's own cache. */
const SLICE = 3 << 14
/** Bytes whose text is handed on at once. */
const PART = 4 * SLICE

/**
 * Buffers for a part's text, one per stream, used again: a new one for each answer would burden the garbage
 * collector.
 */
const freeTexts: Buffer[] = []
const MAX_FREE_TEXTS = 16

/** Base64 by the kernel, whose small memory bytes and text are copied through. */
class Base64 {
  readonly #kernel = instantiateBase64Kernel()
  readonly #input = this.#kernel.reserve(SLICE + BASE64_OVERHANG)
  readonly #text = this.#kernel.reserve(base64Length(SLICE) + BASE64_OVERHANG)
  readonly #bytes = new Uint8Array(this.#kernel.memory.buffer)

  /** Writes whole groups of three bytes as text to `out` from `at` on; returns where it ends. */
  write(out: Uint8Array, at: number, bytes: Uint8Array): number {
    for (let from = 0; from < bytes.length; from += SLICE) {
      const slice = bytes.subarray(from, from + SLICE)
      this.#bytes.set(slice, this.#input)
      this.#kernel.toBase64(this.#text, this.#input, slice.length / 3)
      const length = base64Length(slice.length)
      out.set(this.#bytes.subarray(this.#text, this.#text + length), at)
      at += length
    }
    return at
  }
}

let shared: Base64 | undefined

/** Writes `bytes` as base64 to `out` from `at` on, padding included; returns where it ends. */
export function writeBase64(out: Uint8Array, at: number, bytes: Uint8Array): number {
  const whole = bytes.length - (bytes.length % 3)
  shared ??= new Base64()
  const end = shared.write(out, at, bytes.subarray(0, whole))
  if (whole === bytes.length) return end
  const tail = Buffer.from(bytes.subarray(whole)).toString('base64')
  return end + Buffer.from(out.buffer, out.byteOffset, out.byteLength).write(tail, end, 'latin1')
}

/** Characters of `bytes` bytes as base64, padding included: 4 → 8. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** `before`, then a tensor's little-endian bytes, or a file's, as one JSON string of base64, quotes included. */
export async function* base64Text(
  tensor: Pick<NamedTensor, 'blocks'>,
  before: string,
): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(`${before}"`)
  const text = freeTexts.pop() ?? Buffer.allocUnsafeSlow(base64Length(PART))
  let rest = Buffer.alloc(0) // up to two bytes that wait for their group of three
  try {
    for await (const block of tensor.blocks()) {
      let from = 0
      if (rest.length > 0) {
        from = Math.min(3 - rest.length, block.length)
        rest = Buffer.concat([rest, block.subarray(0, from)])
        if (rest.length < 3) continue
        yield Buffer.from(rest.toString('base64'), 'latin1')
      }
      const end = block.length - ((block.length - from) % 3)
      for (; from < end; from += PART) {
        const written = writeBase64(text, 0, block.subarray(from, Math.min(from + PART, end)))
        yield text.subarray(0, written)
      }
      rest = Buffer.from(block.subarray(end)) // a copy: the block goes back to its pool
    }
    yield Buffer.from(`${rest.toString('base64')}"`)
  } finally {
    if (freeTexts.length < MAX_FREE_TEXTS) freeTexts.push(text)
  }
}
