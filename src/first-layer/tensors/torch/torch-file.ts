import type { Blocks } from '../../steps.js'
import { byteLength, type NamedTensor, type TensorInfo } from '../named-tensor.js'
import { crc32 } from './crc32.js'
import { tensorPickle } from './pickle.js'
import { centralDirectory, dataDescriptor, localHeader, openHeader, type ZipEntry } from './zip.js'

/** PyTorch aligns a storage so, to use it in place in the file (`mmap=True`). */
const ALIGNMENT = 64
const DATA = 'archive/data/0'

/** Everything of a file but the tensor's elements. */
interface TorchFrame {
  readonly before: Buffer
  /** @param crc of the elements */
  after(crc: number): Buffer
}

/**
 * A tensor as a file that `torch.load(weights_only=True)` opens: a zip of stored entries, `data.pkl`, `byteorder`,
 * `version` and, last, `data/0`, whose bytes are the elements.
 *
 * The CRC-32 of the elements is known only after the last one, so it is written after them and in the directory, as
 * in the files of `torch.save` itself (bit 3 of the flags). Tried with PyTorch 2.15, from bytes, from a path and with
 * `mmap=True`, also beyond 4 GiB: sizes and offsets are taken from the directory, no CRC is compared.
 */
export function* torchFile(tensor: NamedTensor): Blocks {
  const { before, after } = torchFrame(tensor)
  yield before
  let crc = 0
  for (const step of tensor.blocks()) {
    if (step instanceof Uint8Array) crc = crc32(step, crc)
    yield step
  }
  yield after(crc)
}

export function torchFileBytes(tensor: Pick<TensorInfo, 'dtype' | 'shape'>): number {
  const { before, after } = torchFrame(tensor)
  return before.length + byteLength(tensor) + after(0).length
}

/** The bytes around a tensor's elements in its file. */
function torchFrame(tensor: Pick<TensorInfo, 'dtype' | 'shape'>): TorchFrame {
  const parts: Buffer[] = []
  const entries: ZipEntry[] = []
  let at = 0
  const put = (part: Buffer) => {
    parts.push(part)
    at += part.length
  }
  const add = (name: string, data: Buffer) => {
    const entry = { name, bytes: data.length, crc: crc32(data), at, follows: false }
    entries.push(entry)
    put(localHeader(entry))
    put(data)
  }
  add('archive/data.pkl', tensorPickle(tensor.dtype, tensor.shape))
  add('archive/byteorder', LITTLE)
  add('archive/version', VERSION)
  const bytes = byteLength(tensor)
  const elements = { name: DATA, bytes, at, follows: true }
  put(openHeader(DATA, bytes, at, ALIGNMENT))
  const end = at + bytes
  return {
    before: Buffer.concat(parts),
    after(crc) {
      const descriptor = dataDescriptor(bytes, crc)
      return Buffer.concat([
        descriptor,
        centralDirectory([...entries, { ...elements, crc }], end + descriptor.length),
      ])
    },
  }
}

const LITTLE = Buffer.from('little')
const VERSION = Buffer.from('3\n')
