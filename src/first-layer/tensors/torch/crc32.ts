import zlib from 'node:zlib'

/** Node's own from 20.15 on; older ones have none. */
const native: ((data: Uint8Array, value?: number) => number) | undefined = zlib.crc32

/** The same by tables. */
export const tableCrc32 = reflectedCrc(0xedb88320)

/**
 * CRC-32 as zip files have it (polynomial 0xedb88320, reflected): `crc32(bytes('123456789'))` → 0xcbf43926.
 *
 * @param value the CRC of the bytes before these
 */
export const crc32: (data: Uint8Array, value?: number) => number = native ?? tableCrc32

const TABLES = 8

/**
 * A reflected CRC of 32 bits that begins and ends inverted, by tables, eight bytes at a time: a millisecond for a megabyte.
 *
 * `reflectedCrc(0xedb88320)(bytes('123456789'))` → 0xcbf43926, the CRC-32 of zip files.
 *
 * @param polynomial reflected
 * @returns `crc(data, value)`: `value` is the CRC of the bytes before these
 */
function reflectedCrc(polynomial: number): (data: Uint8Array, value?: number) => number {
  let tables: Uint32Array | undefined
  return (data, value = 0) => {
    tables ??= makeTables(polynomial)
    return ~update(tables, data, ~value) >>> 0
  }
}

function update(t: Uint32Array, data: Uint8Array, before: number): number {
  let crc = before
  let i = 0
  for (const end = data.length - 7; i < end; i += 8) {
    const low = crc ^ (data[i] | (data[i + 1] << 8) | (data[i + 2] << 16) | (data[i + 3] << 24))
    crc =
      t[0x700 | (low & 0xff)] ^
      t[0x600 | ((low >>> 8) & 0xff)] ^
      t[0x500 | ((low >>> 16) & 0xff)] ^
      t[0x400 | (low >>> 24)] ^
      t[0x300 | data[i + 4]] ^
      t[0x200 | data[i + 5]] ^
      t[0x100 | data[i + 6]] ^
      t[data[i + 7]]
  }
  for (; i < data.length; i++) crc = t[(crc ^ data[i]) & 0xff] ^ (crc >>> 8)
  return crc
}

/** Table k, at 256 k: what a byte becomes after k more bytes of zeros. */
function makeTables(polynomial: number): Uint32Array {
  const made = new Uint32Array(256 * TABLES)
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    made[byte] = crc
  }
  for (let i = 256; i < made.length; i++) made[i] = made[made[i - 256] & 0xff] ^ (made[i - 256] >>> 8)
  return made
}
