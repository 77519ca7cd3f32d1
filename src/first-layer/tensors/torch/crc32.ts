import zlib from 'node:zlib'
import { reflectedCrc } from '../reflected-crc.js'

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
