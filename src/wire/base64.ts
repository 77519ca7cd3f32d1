import type { NamedTensor } from '../named-tensor.js'

/** Characters of `bytes` bytes as base64, padding included: 4 → 8. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** A tensor's little-endian bytes as one JSON string of base64, quotes included. */
export async function* base64Text(tensor: NamedTensor): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from('"')
  let rest = Buffer.alloc(0) // up to two bytes that wait for their group of three
  for await (const block of tensor.blocks()) {
    let from = 0
    if (rest.length > 0) {
      from = Math.min(3 - rest.length, block.length)
      rest = Buffer.concat([rest, block.subarray(0, from)])
      if (rest.length < 3) continue
      yield Buffer.from(rest.toString('base64'), 'latin1')
    }
    const to = block.length - ((block.length - from) % 3)
    const whole = Buffer.from(block.buffer, block.byteOffset + from, to - from)
    rest = Buffer.from(block.subarray(to)) // a copy: the block goes back to its pool
    yield Buffer.from(whole.toString('base64'), 'latin1')
  }
  yield Buffer.from(`${rest.toString('base64')}"`)
}
