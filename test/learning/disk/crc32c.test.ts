import { expect, test } from 'vitest'
import { crc32c } from '../../../src/learning/disk/crc32c.js'

test.each([
  // RFC 3720, B.4
  [Buffer.from('123456789'), 0xe3069283],
  [Buffer.alloc(32), 0x8a9136aa],
  [Buffer.alloc(32, 0xff), 0x62a8ab43],
  [Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  [Buffer.alloc(0), 0],
])('the CRC-32C of %o', (bytes, crc) => {
  expect(crc32c(bytes)).toBe(crc)
  for (let at = 0; at <= bytes.length; at++) {
    expect(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)))).toBe(crc)
  }
})
