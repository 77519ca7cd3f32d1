import { expect, test } from 'vitest'
import { instantiateKernels } from '../../../src/first-layer/kernels/kernels.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'

test('allocated pieces are aligned, follow each other and have the asked size', () => {
  const memory = ModelMemory.create(1000)
  const first = memory.allocate(10)
  const second = memory.allocate(4, 4)
  const third = memory.allocate(100)
  expect(first).toBeGreaterThan(0)
  expect(first % 64).toBe(0)
  expect(second).toBe(first + 12)
  expect(third).toBe(first + 64)
})

test('an allocation beyond the memory is refused with both numbers', () => {
  const memory = ModelMemory.create(65536)
  memory.allocate(65000)
  expect(() => memory.allocate(65536)).toThrow(/512 bytes left. Asked for: 65536/)
})

test('a model beyond 4 GiB is refused with its size', () => {
  expect(() => ModelMemory.create(2 ** 32)).toThrow(/4294901760 bytes \(4 GiB\). Given: 4294967296/)
})

test('an attached memory sees the same bytes and allocates nothing', () => {
  const memory = ModelMemory.create(64)
  const pointer = memory.allocate(16)
  memory.float32(pointer, 4).set([1, 2, 3, 4])
  const attached = new ModelMemory(memory.memory)
  expect([...attached.float32(pointer, 4)]).toEqual([1, 2, 3, 4])
  expect(() => attached.allocate(1)).toThrow('0 bytes left')
})

test('kernels reach tables above 2 GiB', () => {
  const memory = ModelMemory.create(2 ** 32 - 65536)
  const kernels = instantiateKernels(memory.memory)
  const ids = memory.allocate(8)
  const out = memory.allocate(4096)
  const table = memory.allocate(2 ** 32 - 3 * 65536)
  const dim = 1 << 14
  const last = Math.floor((2 ** 32 - 3 * 65536) / (4 * dim)) - 1
  memory.float32(table + last * dim * 4, 4).set([1, 2, 3, 4])
  memory.int32(ids, 2).set([last * (dim / 4), 0])
  kernels.embedRows(out, table, 0, ids, 2, 4, 0, 0, 0, 0, 1)
  expect([...memory.float32(out, 8)]).toEqual([1, 2, 3, 4, 0, 0, 0, 0])
  const high = table + last * dim * 4
  kernels.narrowFloat16(high + 64, high, 4)
  expect([...new Uint16Array(memory.memory.buffer, high + 64, 4)]).toEqual([0x3c00, 0x4000, 0x4200, 0x4400])
})

test('V8 counts a memory, once, so that it collects what has gone; the system gives no page for that', () => {
  const before = process.memoryUsage()
  const { memory } = ModelMemory.create(2 ** 28)
  for (let i = 0; i < 10; i++) new ModelMemory(memory)
  const after = process.memoryUsage()
  expect((after.arrayBuffers - before.arrayBuffers) / 2 ** 28).toBeCloseTo(1, 0)
  expect(after.rss - before.rss).toBeLessThan(2 ** 27)
})
