import { type BlockWriter, BufferPool, chained, written } from '../tensors/blocks.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import { type Part, part } from './json.js'

/**
 * Bytes turned to text at a time, whole groups of three: their string lies where V8 has its short-lived ones.
 * One of more than 128 KiB gets separate pages, which takes eight times as long.
 */
const SLICE = 3 << 12
/** Bytes of a stream that become text at once, for one write: whole groups of three. */
const PART = 3 << 16
const texts = new BufferPool(base64Length(PART), 16)

/** Characters of `bytes` bytes as base64, padding included: 4 → 8. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

const QUOTE = Buffer.from('"')

/** A tensor's little-endian bytes, or a file's, as one JSON string of base64. @param bytes how many they are */
export function base64(tensor: Pick<NamedTensor, 'blocks'>, bytes: number): Part {
  return part(base64Length(bytes) + 2, () => chained([[QUOTE], written(tensor.blocks(), textWriter)]))
}

function textWriter(): BlockWriter {
  const text = texts.take()
  let rest = Buffer.alloc(0) // up to two bytes that wait for their group of three
  return {
    most: PART,
    each(slice) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, slice]) : asBuffer(slice)
      const end = bytes.length - (bytes.length % 3)
      let length = 0
      for (let at = 0; at < end; at += SLICE)
        length += text.write(bytes.toString('base64', at, Math.min(at + SLICE, end)), length, 'latin1')
      rest = Buffer.from(bytes.subarray(end)) // a copy: the block goes back to its pool
      return text.subarray(0, length)
    },
    end: () => Buffer.from(`${rest.toString('base64')}"`),
    release: () => texts.give(text),
  }
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
