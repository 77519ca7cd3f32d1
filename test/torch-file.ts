import { expect } from 'vitest'
import { readGolden } from './goldens.js'

/** A tensor as a torch file has it. */
export interface TorchTensor {
  readonly storage: string
  readonly shape: readonly number[]
  readonly strides: readonly number[]
  readonly bytes: Buffer
  /** The place of the elements in the file. */
  readonly at: number
}

/** The pickle of `torch.save`. */
export const pickles = readGolden<{
  pickles: readonly { dtype: string; shape: readonly number[]; pickle: string }[]
}>('torch_pickles.json').pickles

/** Reads a torch file as PyTorch does, from the directory at its end, and checks what PyTorch does not: local headers, CRCs. */
export function readTorchFile(file: Buffer): TorchTensor {
  const entries = readZip(file)
  expect([...entries.keys()].sort()).toEqual([
    'archive/byteorder',
    'archive/data.pkl',
    'archive/data/0',
    'archive/version',
  ])
  expect(entries.get('archive/byteorder')!.bytes.toString()).toBe('little')
  expect(entries.get('archive/version')!.bytes.toString()).toBe('3\n')
  const data = entries.get('archive/data/0')!
  return { ...readPickle(entries.get('archive/data.pkl')!.bytes), ...data }
}

/** The stored entries of a zip below 4 GiB. */
export function readZip(file: Buffer): Map<string, { bytes: Buffer; at: number }> {
  const end = file.length - 22
  expect(file.readUInt32LE(end)).toBe(0x06054b50)
  const count = file.readUInt16LE(end + 10)
  const directory = file.readUInt32LE(end + 16)
  expect(directory + file.readUInt32LE(end + 12)).toBe(end)
  const entries = new Map<string, { bytes: Buffer; at: number }>()
  let follows = 0
  for (let i = 0, at = directory; i < count; i++) {
    expect(file.readUInt32LE(at)).toBe(0x02014b50)
    const [flags, method] = [file.readUInt16LE(at + 8), file.readUInt16LE(at + 10)]
    const [crc, size, stored] = [16, 20, 24].map((field) => file.readUInt32LE(at + field))
    expect([method, stored]).toEqual([0, size])
    const nameBytes = file.readUInt16LE(at + 28)
    const name = file.toString('latin1', at + 46, at + 46 + nameBytes)
    const local = file.readUInt32LE(at + 42)
    at += 46 + nameBytes + file.readUInt16LE(at + 30)

    expect([file.readUInt32LE(local), local]).toEqual([0x04034b50, follows])
    expect(file.readUInt16LE(local + 6)).toBe(flags)
    expect(file.toString('latin1', local + 30, local + 30 + nameBytes)).toBe(name)
    const begin = local + 30 + nameBytes + file.readUInt16LE(local + 28)
    const bytes = file.subarray(begin, begin + size)
    expect(slowCrc32(bytes)).toBe(crc)
    const said = [14, 18, 22].map((field) => file.readUInt32LE(local + field))
    follows = begin + size
    if ((flags & 8) === 0) expect(said).toEqual([crc, size, size])
    else {
      expect(said).toEqual([0, 0, 0])
      const descriptor = [0, 4, 8, 12].map((field) => file.readUInt32LE(follows + field))
      expect(descriptor).toEqual([0x08074b50, crc, size, size])
      follows += 16
    }
    entries.set(name, { bytes, at: begin })
  }
  expect(follows).toBe(directory)
  return entries
}

/** CRC-32, a bit at a time. */
export function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return ~crc >>> 0
}

/** Runs the operations of a pickle that stands for a tensor. */
function readPickle(pickle: Buffer): Pick<TorchTensor, 'storage' | 'shape' | 'strides'> {
  const stack: unknown[] = []
  const MARK = Symbol('mark')
  const line = (from: number) => pickle.indexOf(10, from)
  const tuple = () => {
    const mark = stack.lastIndexOf(MARK)
    const items = stack.splice(mark)
    stack.push(items.slice(1))
  }
  expect([...pickle.subarray(0, 2)]).toEqual([0x80, 2])
  for (let at = 2; ; ) {
    const operation = String.fromCharCode(pickle[at++]!)
    if (operation === '.') break
    else if (operation === '(') stack.push(MARK)
    else if (operation === ')') stack.push([])
    else if (operation === 't') tuple()
    else if ('\x85\x86\x87'.includes(operation)) stack.push(stack.splice(0x84 - operation.charCodeAt(0)))
    else if (operation === '\x89') stack.push(false)
    else if (operation === 'Q') stack.push({ persistent: stack.pop() })
    else if (operation === 'R') {
      const items = stack.pop()
      stack.push({ called: stack.pop(), items })
    } else if (operation === 'c') {
      const end = line(line(at) + 1)
      stack.push(pickle.toString('latin1', at, end).replace('\n', '.'))
      at = end + 1
    } else if (operation === 'X') {
      const length = pickle.readUInt32LE(at)
      stack.push(pickle.toString('utf8', at + 4, at + 4 + length))
      at += 4 + length
    } else {
      const width = { K: 1, M: 2, J: 4 }[operation]
      if (width === undefined) throw new Error(`operation ${operation} at ${at - 1}`)
      stack.push(pickle.readUIntLE(at, width))
      at += width
    }
  }
  expect(stack).toHaveLength(1)
  // biome-ignore lint/suspicious/noExplicitAny: what a pickle gives
  const { called, items } = stack[0] as any
  expect(called).toBe('torch._utils._rebuild_tensor_v2')
  const [{ persistent }, offset, shape, strides, requiresGrad, hooks] = items
  expect([offset, requiresGrad, hooks]).toEqual([0, false, { called: 'collections.OrderedDict', items: [] }])
  const [kind, storage, key, device, count] = persistent
  expect([kind, key, device]).toEqual(['storage', '0', 'cpu'])
  expect(count).toBe(shape.reduce((product: number, axis: number) => product * axis, 1))
  return { storage, shape, strides }
}
