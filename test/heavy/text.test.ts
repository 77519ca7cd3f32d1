import { expect, test } from 'vitest'
import { instantiateKernels, MAX_FLOAT_TEXT_BYTES } from '../../src/kernels/kernels.js'
import { ModelMemory } from '../../src/kernels/model-memory.js'
import { shortestText } from '../twins/shortest-text.js'

const COUNT = 1 << 16
const memory = ModelMemory.create(3 * COUNT * (4 + MAX_FLOAT_TEXT_BYTES) + 256)
const kernels = instantiateKernels(memory.memory)
const input = memory.allocate(4 * COUNT)
const mixed = memory.allocate(8 * COUNT)
const out = memory.allocate(MAX_FLOAT_TEXT_BYTES * COUNT)
const mixedOut = memory.allocate(2 * MAX_FLOAT_TEXT_BYTES * COUNT)

const COMMA = ','.charCodeAt(0)

/** Whether `pairs` is `plain` with a `,0` after each number. */
function isInterleaved(plain: Uint8Array, pairs: Uint8Array): boolean {
  let j = 0
  for (let i = 0; i <= plain.length; i++) {
    if (i === plain.length || plain[i] === COMMA) {
      if (pairs[j] !== COMMA || pairs[j + 1] !== 48) return false
      j += 2
    }
    if (i < plain.length && pairs[j++] !== plain[i]) return false
  }
  return j === pairs.length
}

// A zero between the numbers sends each of them the way of the unusual ones.
test('every usual float has the same text from both ways through the kernel', () => {
  const numbers = memory.int32(input, COUNT)
  const interleaved = memory.int32(mixed, 2 * COUNT)
  for (let start = (127 - 14) << 23; start < (127 + 24) << 23; start += COUNT) {
    const sign = (start >>> 16) & 1 ? 0x80000000 : 0
    for (let i = 0; i < COUNT; i++) {
      numbers[i] = (start + i) | sign
      interleaved[2 * i] = (start + i) | sign
    }
    const plain = memory.bytes(out, kernels.floatsToText(out, input, COUNT))
    const pairs = memory.bytes(mixedOut, kernels.floatsToText(mixedOut, mixed, 2 * COUNT))
    if (!isInterleaved(plain, pairs)) {
      const found = Buffer.from(plain).toString().split(',')
      expect(found).toEqual(Buffer.from(pairs).toString().split(',0').slice(0, -1))
      throw new Error(`the texts from ${start} on differ`)
    }
  }
})

test('every 2003rd bit pattern has the text of the twin', () => {
  const numbers = memory.int32(input, COUNT)
  for (let start = 0; start < 2 ** 32; start += 2003 * COUNT) {
    for (let i = 0; i < COUNT; i++) numbers[i] = start + i * 2003
    const found = Buffer.from(memory.bytes(out, kernels.floatsToText(out, input, COUNT))).toString()
    const expected = [...memory.float32(input, COUNT)].map(shortestText)
    if (found !== expected.join()) expect(found.split(',')).toEqual(expected)
  }
})
