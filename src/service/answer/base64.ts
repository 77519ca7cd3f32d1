import type { Blocks } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { Part } from './json-parts.js'
import { BlockPool } from './number-text.js'

/**
 * Bytes turned to text at a time, whole groups of three: their string lies where V8 has its short-lived ones.
 * One of more than 128 KiB gets separate pages, which takes eight times as long.
 */
const SLICE = 3 << 12

/** Bytes of a stream that become text at once, for one write: whole groups of three. */
const PART = 3 << 16
/** Each has a part's text with a group of three before it. */
const texts = new BlockPool(base64Length(3 + PART), 16)

/** Writes `bytes` as base64 to `out` from `at` on, padding included; returns where it ends. */
export function writeBase64(out: Uint8Array, at: number, bytes: Uint8Array): number {
  const from = asBuffer(bytes)
  const to = asBuffer(out)
  for (let i = 0; i < bytes.length; i += SLICE) {
    at += to.write(from.toString('base64', i, i + SLICE), at, 'latin1')
  }
  return at
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Characters of `bytes` bytes as base64, padding included: 4 → 8. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** A tensor's little-endian bytes, or a file's, as one JSON string of base64. @param bytes how many they are */
export function base64(tensor: Pick<NamedTensor, 'blocks'>, bytes: number): Part {
  return new Part(base64Length(bytes) + 2, () => base64Text(tensor))
}

function* base64Text(tensor: Pick<NamedTensor, 'blocks'>): Blocks {
  yield Buffer.from('"')
  const text = texts.take()
  let rest = Buffer.alloc(0) // up to two bytes that wait for their group of three
  try {
    for (const block of tensor.blocks()) {
      if (!(block instanceof Uint8Array)) {
        yield block
        continue
      }
      let from = 0
      let written = 0
      if (rest.length > 0) {
        from = Math.min(3 - rest.length, block.length)
        rest = Buffer.concat([rest, block.subarray(0, from)])
        if (rest.length < 3) continue
        written = writeBase64(text, 0, rest)
      }
      const end = block.length - ((block.length - from) % 3)
      for (; from < end; from += PART) {
        written = writeBase64(text, written, block.subarray(from, Math.min(from + PART, end)))
        yield text.subarray(0, written)
        written = 0
      }
      if (written > 0) yield text.subarray(0, written)
      rest = Buffer.from(block.subarray(end)) // a copy: the block goes back to its pool
    }
    yield Buffer.from(`${rest.toString('base64')}"`)
  } finally {
    texts.give(text)
  }
}
