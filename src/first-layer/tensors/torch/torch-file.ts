import { type BlockWriter, chained, type Written, written } from '../blocks.js'
import { byteLength, type NamedTensor } from '../named-tensor.js'
import { tensorPickle } from './pickle.js'
import { centralDirectory, crc32, dataDescriptor, localHeader, type ZipEntry } from './zip.js'

/**
 * A tensor as a file that `torch.load(weights_only=True)` opens: a zip of stored entries, `data.pkl`, `byteorder`,
 * `version` and, last, `data/0`, whose bytes are the elements.
 *
 * The CRC-32 of the elements is known only after the last one, so it is written after them and in the directory, as
 * in the files of `torch.save` itself (bit 3 of the flags). Tried with PyTorch 2.15, from bytes, from a path and with
 * `mmap=True`, also beyond 4 GiB: sizes and offsets are taken from the directory, no CRC is compared.
 */
export function torchFile(tensor: Omit<NamedTensor, 'name'>): Written {
  let before = Buffer.alloc(0)
  const entries: ZipEntry[] = []
  for (const [name, data] of [
    ['archive/data.pkl', tensorPickle(tensor.dtype, tensor.shape)],
    ['archive/byteorder', Buffer.from('little')],
    ['archive/version', Buffer.from('3\n')],
  ] as const) {
    const entry = { name, bytes: data.length, crc: crc32(data), at: before.length, follows: false }
    entries.push(entry)
    before = Buffer.concat([before, localHeader(entry), data])
  }
  const bytes = byteLength(tensor)
  const elements = { name: 'archive/data/0', bytes, crc: 0, at: before.length, follows: true }
  before = Buffer.concat([before, localHeader(elements)])
  const after = (crc: number) => {
    const descriptor = dataDescriptor(bytes, crc)
    const at = before.length + bytes + descriptor.length
    return Buffer.concat([descriptor, centralDirectory([...entries, { ...elements, crc }], at)])
  }
  const withCrc = (): BlockWriter => {
    let crc = 0
    return {
      most: Number.POSITIVE_INFINITY,
      each(block) {
        crc = crc32(block, crc)
        return block
      },
      end: () => after(crc),
    }
  }
  return {
    bytes: before.length + bytes + after(0).length,
    blocks: () => chained([[before], written(tensor.blocks(), withCrc)]),
  }
}
