import { expect, test } from 'vitest'
import { instantiateTextKernels, MAX_FLOAT_TEXT_BYTES } from '../../src/first-layer/kernels/text-kernels.js'
import { shortestText } from '../twins/shortest-text.js'

const COUNT = 1 << 16
const kernels = instantiateTextKernels()
const input = kernels.reserve(4 * COUNT)
const mixed = kernels.reserve(8 * COUNT)
const out = kernels.reserve(MAX_FLOAT_TEXT_BYTES * COUNT)
const mixedOut = kernels.reserve(2 * MAX_FLOAT_TEXT_BYTES * COUNT)

const bytesAt = (pointer: number, length: number) => new Uint8Array(kernels.memory.buffer, pointer, length)
const floatsAt = (pointer: number, length: number) => new Float32Array(kernels.memory.buffer, pointer, length)
const intsAt = (pointer: number, length: number) => new Int32Array(kernels.memory.buffer, pointer, length)

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
  const numbers = intsAt(input, COUNT)
  const interleaved = intsAt(mixed, 2 * COUNT)
  for (let start = (127 - 14) << 23; start < (127 + 24) << 23; start += COUNT) {
    const sign = (start >>> 16) & 1 ? 0x80000000 : 0
    for (let i = 0; i < COUNT; i++) {
      numbers[i] = (start + i) | sign
      interleaved[2 * i] = (start + i) | sign
    }
    const plain = bytesAt(out, kernels.floatRowsToText(out, input, 1, COUNT))
    const pairs = bytesAt(mixedOut, kernels.floatRowsToText(mixedOut, mixed, 1, 2 * COUNT))
    if (!isInterleaved(plain, pairs)) {
      const found = Buffer.from(plain).toString().split(',')
      expect(found).toEqual(Buffer.from(pairs).toString().split(',0').slice(0, -1))
      throw new Error(`the texts from ${start} on differ`)
    }
  }
})

test('every 2003rd bit pattern has the text of the twin', () => {
  const numbers = intsAt(input, COUNT)
  for (let start = 0; start < 2 ** 32; start += 2003 * COUNT) {
    for (let i = 0; i < COUNT; i++) numbers[i] = start + i * 2003
    const found = Buffer.from(bytesAt(out, kernels.floatRowsToText(out, input, 1, COUNT))).toString()
    const expected = [...floatsAt(input, COUNT)].map(shortestText)
    if (found !== expected.join()) expect(found.split(',')).toEqual(expected)
  }
})
