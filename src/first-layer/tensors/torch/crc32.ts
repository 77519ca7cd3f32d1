import zlib from 'node:zlib'

/** Node's own from 20.15 on; older ones have none. */
const native: ((data: Uint8Array, value?: number) => number) | undefined = zlib.crc32

/**
 * CRC-32 as zip files have it (polynomial 0xedb88320, reflected): `crc32(bytes('123456789'))` → 0xcbf43926.
 *
 * @param value the CRC of the bytes before these
 */
export const crc32: (data: Uint8Array, value?: number) => number = native ?? tableCrc32

/** The same by a table. */
export function tableCrc32(data: Uint8Array, value = 0): number {
  table ??= Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
    return crc
  })
  let crc = ~value
  for (let i = 0; i < data.length; i++) crc = table[(crc ^ data[i]) & 0xff] ^ (crc >>> 8)
  return ~crc >>> 0
}

let table: Uint32Array | undefined
