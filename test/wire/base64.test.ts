import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64Length, base64Text, writeBase64 } from '../../src/wire/base64.js'
import { checkProperty } from '../property.js'

const LARGEST = 3 << 17 // more than a part of the kernel's slices

function written(bytes: Uint8Array, at: number): string {
  const out = new Uint8Array(at + base64Length(bytes.length)).fill(0x2e)
  expect(writeBase64(out, at, bytes)).toBe(out.length)
  expect(Buffer.from(out.subarray(0, at)).toString()).toBe('.'.repeat(at))
  return Buffer.from(out.subarray(at)).toString('latin1')
}

async function* inTurn(blocks: readonly Uint8Array[]) {
  yield* blocks
}

test('every group of two bytes and a third, at each place of a row of four groups', () => {
  const bytes = Buffer.alloc(3 * 65_536 + 3)
  for (let i = 0; i < 65_536; i++) bytes.writeUIntBE((i << 8) | ((i * 37) & 0xff), 3 * i, 3)
  for (let first = 0; first < 12; first++) {
    const part = bytes.subarray(first)
    expect(written(part, 0)).toBe(part.toString('base64'))
  }
})

test('bytes of any length, anywhere, are Node’s base64', () =>
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(7), (bytes, at) => {
      expect(written(bytes, at)).toBe(Buffer.from(bytes).toString('base64'))
    }),
    200,
  ))

test.each([0, 1, 2, 3, 11, 12, 13, 49_151, 49_152, 49_153, LARGEST, LARGEST + 2])('%i bytes', (length) => {
  const bytes = Buffer.alloc(length)
  for (let i = 0; i < length; i++) bytes[i] = (i * 2_654_435_761) >>> 11
  expect(written(bytes, 3)).toBe(bytes.toString('base64'))
})

test('a stream whose blocks end within groups', () =>
  checkProperty(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 }), async (blocks) => {
      const parts: string[] = []
      for await (const part of base64Text({ blocks: () => inTurn(blocks) }, 'x:')) {
        parts.push(Buffer.from(part).toString('latin1'))
      }
      expect(parts.join('')).toBe(`x:"${Buffer.concat(blocks).toString('base64')}"`)
    }),
    200,
  ))
