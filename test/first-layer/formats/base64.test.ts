import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64, base64Length } from '../../../src/first-layer/formats/base64.js'
import { type Blocks, blocksNow } from '../../../src/first-layer/tensors/blocks.js'
import { checkProperty } from '../../property.js'

const LARGEST = 3 << 17 // more than a part, which has many slices

function written(bytes: Uint8Array): string {
  const text = partsOf([bytes]).join('')
  expect(text.length).toBe(base64Length(bytes.length) + 2)
  return text.slice(1, -1)
}

function* inTurn(blocks: readonly Uint8Array[]): Blocks {
  yield* blocks
}

test('bytes of any length, anywhere, are Node’s base64', () =>
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(written(bytes)).toBe(Buffer.from(bytes).toString('base64'))
    }),
    200,
  ))

test.each([0, 1, 2, 3, 12_287, 12_288, 12_289, LARGEST, LARGEST + 2])('%i bytes', (length) => {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 2_654_435_761) >>> 11
  expect(written(bytes)).toBe(bytes.toString('base64'))
})

test('bytes that threads share', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(20_000), 5)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 2_654_435_761) >>> 11
  expect(written(bytes)).toBe(Buffer.from(bytes).toString('base64'))
})

function blocksOf(lengths: readonly number[]): Buffer[] {
  return lengths.map((length, first) =>
    Buffer.from(Uint8Array.from({ length }, (_, i) => (first + i * 2_654_435_761) >>> 11)),
  )
}

function partsOf(blocks: readonly Uint8Array[]): string[] {
  const parts: string[] = []
  for (const part of blocksNow(base64({ blocks: () => inTurn(blocks) }, 0).text())) {
    parts.push(Buffer.from(part).toString('latin1'))
  }
  return parts
}

test('a stream of blocks longer than a part, whose groups go on in the next one', () => {
  const blocks = blocksOf([100, LARGEST + 1, 2, LARGEST + 2])
  expect(partsOf(blocks).join('')).toBe(`"${Buffer.concat(blocks).toString('base64')}"`)
})

test('a stream whose blocks end within groups', () =>
  checkProperty(
    fc.property(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 }), (blocks) => {
      expect(partsOf(blocks).join('')).toBe(`"${Buffer.concat(blocks).toString('base64')}"`)
    }),
    200,
  ))

test('streams in turn do not write to each other’s texts', () => {
  const all = [blocksOf([LARGEST, 7]), blocksOf([3 * LARGEST, 1])]
  const streams = all.map((blocks) =>
    blocksNow(base64({ blocks: () => inTurn(blocks) }, 0).text())[Symbol.iterator](),
  )
  const texts = all.map(() => '')
  for (let going = true; going; ) {
    going = false
    for (const [i, stream] of streams.entries()) {
      const { done, value } = stream.next()
      if (done) continue
      texts[i] += Buffer.from(value).toString('latin1')
      going = true
    }
  }
  expect(texts).toEqual(all.map((blocks) => `"${Buffer.concat(blocks).toString('base64')}"`))
})
