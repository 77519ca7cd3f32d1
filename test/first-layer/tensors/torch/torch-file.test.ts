import { expect, test } from 'vitest'
import { type Blocks, blocksNow } from '../../../../src/first-layer/tensors/blocks.js'
import type { Dtype, NamedTensor } from '../../../../src/first-layer/tensors/named-tensor.js'
import { torchFile } from '../../../../src/first-layer/tensors/torch/torch-file.js'
import {
  centralDirectory,
  dataDescriptor,
  localHeader,
} from '../../../../src/first-layer/tensors/torch/zip.js'
import { readTorchFile } from '../../../torch-file.js'

/** A tensor whose blocks have an odd number of elements. */
function tensorOf(dtype: Dtype, shape: readonly number[], bytes: Buffer): NamedTensor {
  return {
    ...{ name: 'any', dtype, shape },
    *blocks(): Blocks {
      for (let at = 0; at < bytes.length; at += 12) yield bytes.subarray(at, at + 12)
    },
  }
}

async function written(tensor: NamedTensor): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const block of blocksNow(torchFile(tensor).blocks())) parts.push(Buffer.from(block))
  return Buffer.concat(parts)
}

test.each([
  ['float32', 'FloatStorage', 4],
  ['float16', 'HalfStorage', 2],
  ['bfloat16', 'BFloat16Storage', 2],
  ['int32', 'IntStorage', 4],
] as const)('%s is a zip with the elements as they are', async (dtype, storage, width) => {
  const shape = [5, 3]
  const bytes = Buffer.from(Array.from({ length: 15 * width }, (_, i) => (i * 37) % 256))
  const tensor = tensorOf(dtype, shape, bytes)
  const file = await written(tensor)
  expect(file.length).toBe(torchFile(tensor).bytes)
  const read = readTorchFile(file)
  expect(read).toMatchObject({ storage: `torch.${storage}`, shape, strides: [3, 1] })
  expect(read.bytes.equals(bytes)).toBe(true)
  expect(read.at % 64).toBe(0)
})

test('an entry beyond 4 GiB has sizes of 64 bits, and so has what points behind it', () => {
  const bytes = 5 * 2 ** 30
  const opened = { name: 'archive/data/0', bytes, crc: 0, at: 300, follows: true }
  const header = localHeader(opened)
  expect([header.readUInt16LE(4), header.readUInt32LE(18)]).toEqual([45, 0xffffffff])
  expect((300 + header.length) % 64).toBe(0)
  expect(header.readUInt16LE(44)).toBe(1)
  const descriptor = dataDescriptor(bytes, 7)
  expect([descriptor.readBigUInt64LE(8), descriptor.readBigUInt64LE(16)]).toEqual([
    BigInt(bytes),
    BigInt(bytes),
  ])
  const at = 300 + header.length + bytes + descriptor.length
  const entry = { name: 'archive/data/0', bytes, crc: 7, at: 300, follows: true }
  const directory = centralDirectory([entry], at)
  expect(directory.readUInt32LE(20)).toBe(0xffffffff)
  expect(directory.readBigUInt64LE(46 + 14 + 4)).toBe(BigInt(bytes))
  const end = directory.indexOf(Buffer.from('504b0606', 'hex'))
  expect(directory.readBigUInt64LE(end + 48)).toBe(BigInt(at))
  expect(directory.readBigUInt64LE(end + 56 + 8)).toBe(BigInt(at + end))
  expect(directory.readUInt32LE(directory.length - 22 + 16)).toBe(0xffffffff)
})
