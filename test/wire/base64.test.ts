import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Blocks, runBlocks } from '../../src/first-layer/steps.js'
import { base64Length, base64Text, TextParts, writeBase64 } from '../../src/wire/base64.js'
import { checkProperty } from '../property.js'

const LARGEST = 3 << 17 // more than a part, which has many slices

function written(bytes: Uint8Array, at: number): string {
  const out = new Uint8Array(at + base64Length(bytes.length)).fill(0x2e)
  expect(writeBase64(out, at, bytes)).toBe(out.length)
  expect(Buffer.from(out.subarray(0, at)).toString()).toBe('.'.repeat(at))
  return Buffer.from(out.subarray(at)).toString('latin1')
}

function* inTurn(blocks: readonly Uint8Array[]): Blocks {
  yield* blocks
}

test('bytes of any length, anywhere, are Node’s base64', () =>
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(7), (bytes, at) => {
      expect(written(bytes, at)).toBe(Buffer.from(bytes).toString('base64'))
    }),
    200,
  ))

test.each([0, 1, 2, 3, 12_287, 12_288, 12_289, LARGEST, LARGEST + 2])('%i bytes', (length) => {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 2_654_435_761) >>> 11
  expect(written(bytes, 3)).toBe(bytes.toString('base64'))
})

test('bytes that threads share', () => {
  const bytes = new Uint8Array(new SharedArrayBuffer(20_000), 5)
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 2_654_435_761) >>> 11
  expect(written(bytes, 0)).toBe(Buffer.from(bytes).toString('base64'))
})

function blocksOf(lengths: readonly number[]): Buffer[] {
  return lengths.map((length, first) =>
    Buffer.from(Uint8Array.from({ length }, (_, i) => (first + i * 2_654_435_761) >>> 11)),
  )
}

async function partsOf(blocks: readonly Uint8Array[], before: string, as?: TextParts): Promise<string[]> {
  const parts: string[] = []
  for (const part of runBlocks(base64Text({ blocks: () => inTurn(blocks) }, before, as))) {
    parts.push(Buffer.from(part).toString('latin1'))
  }
  return parts
}

test('a stream of blocks longer than a part, whose groups go on in the next one', async () => {
  const blocks = blocksOf([100, LARGEST + 1, 2, LARGEST + 2])
  expect((await partsOf(blocks, '')).join('')).toBe(`"${Buffer.concat(blocks).toString('base64')}"`)
})

test('a stream whose blocks end within groups, in parts of any size', () =>
  checkProperty(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 }),
      fc.constantFrom(undefined, 3, 6, 9),
      async (blocks, bytes) => {
        const parts = await partsOf(blocks, 'x:', bytes && new TextParts(bytes, 1))
        expect(parts.join('')).toBe(`x:"${Buffer.concat(blocks).toString('base64')}"`)
        for (const part of parts.slice(1, -1)) {
          expect(part.length).toBeLessThanOrEqual(base64Length(3 + (bytes ?? 20)))
        }
      },
    ),
    200,
  ))

test('a block that is no longer than a part is one piece, with what the one before left', async () => {
  const blocks = blocksOf([64, 1 << 19, (1 << 19) + 1, 5])
  const parts = await partsOf(blocks, '', new TextParts(3 << 18, 1))
  const lengths = parts.map(({ length }) => length)
  expect(lengths).toEqual([1, ...[21, 174_763, 174_763, 1].map((groups) => 4 * groups), 5])
  expect(parts.join('')).toBe(`"${Buffer.concat(blocks).toString('base64')}"`)
})

test('streams of different parts at once do not write to each other’s texts', async () => {
  const blocks = blocksOf([LARGEST, 7])
  const whole = `"${Buffer.concat(blocks).toString('base64')}"`
  const kinds = [undefined, new TextParts(3 << 18, 1), undefined, new TextParts(3 << 10, 1)]
  const texts = await Promise.all(kinds.map((as) => partsOf(blocks, '', as)))
  expect(texts.map((parts) => parts.join(''))).toEqual(kinds.map(() => whole))
})
