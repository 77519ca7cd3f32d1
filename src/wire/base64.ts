import type { NamedTensor } from '../named-tensor.js'

/** Bytes turned to text at a time, whole groups of three. */
const SLICE = 3 << 16

/**
 * Buffers for a slice's text, one per stream, used again: a new one for each answer would burden the garbage
 * collector.
 */
const freeTexts: Buffer[] = []
const MAX_FREE_TEXTS = 16

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
  const text = freeTexts.pop() ?? Buffer.allocUnsafeSlow(base64Length(SLICE))
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
      const bytes = Buffer.from(block.buffer, block.byteOffset, end)
      for (; from < end; from += SLICE) {
        const written = text.write(bytes.toString('base64', from, Math.min(from + SLICE, end)), 'latin1')
        yield text.subarray(0, written)
      }
      rest = Buffer.from(block.subarray(end)) // a copy: the block goes back to its pool
    }
    yield Buffer.from(`${rest.toString('base64')}"`)
  } finally {
    if (freeTexts.length < MAX_FREE_TEXTS) freeTexts.push(text)
  }
}
