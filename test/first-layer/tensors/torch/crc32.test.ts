import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32, tableCrc32 } from '../../../../src/first-layer/tensors/torch/zip.js'
import { checkProperty } from '../../../property.js'
import { slowCrc32 } from '../../../torch-file.js'

test.each([
  ['123456789', 0xcbf43926],
  ['', 0],
])('the CRC-32 of %j is that of every zip program', (text, crc) => {
  const bytes = Buffer.from(text)
  expect([crc32(bytes), tableCrc32(bytes)]).toEqual([crc, crc])
})

test('both ways give the same for parts of any bytes, one after the other', async () => {
  const bytes = fc.uint8Array({ maxLength: 40 })
  const property = fc.property(bytes, bytes, (first, second) => {
    const whole = slowCrc32(Buffer.concat([first, second]))
    expect(tableCrc32(second, tableCrc32(first))).toBe(whole)
    expect(crc32(second, crc32(first))).toBe(whole)
  })
  await checkProperty(property, 200)
})
