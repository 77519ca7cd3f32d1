import zlib from 'node:zlib'

/** Bytes that a field of 32 bits counts; longer entries are written as Zip64. */
const MOST_32 = 0xffffffff
/** 1 January 1980, the earliest date of a zip. */
const DATE = 0x21
/** Version that a reader needs: 2.0, or 4.5 for Zip64. */
const VERSION = 20
const VERSION_64 = 45
/** General purpose bit 3: sizes and CRC follow the data. */
const FOLLOWS = 8
/** Bytes of a local header without name and extra fields. */
const LOCAL_BYTES = 30
/** Id of the extra field of Zip64, and of the one that only fills up, as PyTorch has it. */
const ZIP64_FIELD = 0x0001
const PADDING_FIELD = 0x4246
/** PyTorch aligns a storage so, to use it in place in the file (`mmap=True`). */
const ALIGNMENT = 64

/** A stored (never deflated) entry. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  /** CRC-32 of the data. */
  readonly crc: number
  /** Offset of the local header. */
  readonly at: number
  /** Sizes and CRC stand after the data, which begins at a multiple of 64. */
  readonly follows: boolean
}

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

/** The header before an entry's data. */
export function localHeader({ name, bytes, crc, at, follows }: ZipEntry): Buffer {
  const extra = follows ? alignment(bytes, at + LOCAL_BYTES + name.length) : packed('')
  const known = follows ? (isLong(bytes) ? MOST_32 : 0) : bytes
  return Buffer.concat([
    packed('42', 0x04034b50, versionOf(bytes)),
    packed('22224', follows ? FOLLOWS : 0, 0, 0, DATE, follows ? 0 : crc),
    packed('4422', known, known, name.length, extra.length),
    Buffer.from(name, 'latin1'),
    extra,
  ])
}

/** The extra fields, from `at` on, behind which the data is aligned. */
function alignment(bytes: number, at: number): Buffer {
  const sizes = isLong(bytes) ? zip64Field(0) : packed('')
  const padding = (ALIGNMENT - ((at + sizes.length + 4) % ALIGNMENT)) % ALIGNMENT
  return Buffer.concat([sizes, packed('22', PADDING_FIELD, padding), Buffer.alloc(padding)])
}

/** The sizes and the CRC behind the data of an entry whose header does not tell them. */
export function dataDescriptor(bytes: number, crc: number): Buffer {
  return packed(isLong(bytes) ? '4488' : '4444', 0x08074b50, crc, bytes, bytes)
}

/** The directory of all entries, which ends the file; it begins at `at`. */
export function centralDirectory(entries: readonly ZipEntry[], at: number): Buffer {
  const listed = Buffer.concat(entries.map(directoryEntry))
  const [count, bytes] = [entries.length, listed.length]
  return Buffer.concat([
    listed,
    isLong(at) ? zip64End(count, bytes, at) : packed(''),
    packed('4222244', 0x06054b50, 0, 0, count, count, bytes, Math.min(at, MOST_32)),
    packed('2', 0),
  ])
}

function directoryEntry({ name, bytes, crc, at, follows }: ZipEntry): Buffer {
  const extra = isLong(bytes) ? zip64Field(bytes) : packed('')
  const size = Math.min(bytes, MOST_32)
  return Buffer.concat([
    packed('422', 0x02014b50, versionOf(bytes), versionOf(bytes)),
    packed('22224', follows ? FOLLOWS : 0, 0, 0, DATE, crc),
    packed('4422', size, size, name.length, extra.length),
    packed('22244', 0, 0, 0, 0, at), // comment, disk, attributes
    Buffer.from(name, 'latin1'),
    extra,
  ])
}

/** Both sizes in 64 bits, for an entry whose own fields are too narrow. */
function zip64Field(bytes: number): Buffer {
  return packed('2288', ZIP64_FIELD, 16, bytes, bytes)
}

/** The end of a directory that begins beyond 4 GiB, and the record with its place. */
function zip64End(count: number, bytes: number, at: number): Buffer {
  const following = 44
  return Buffer.concat([
    packed('482244', 0x06064b50, following, VERSION_64, VERSION_64, 0, 0),
    packed('8888', count, count, bytes, at),
    packed('4484', 0x07064b50, 0, at + bytes, 1), // one disk
  ])
}

function versionOf(bytes: number): number {
  return isLong(bytes) ? VERSION_64 : VERSION
}

function isLong(bytes: number): boolean {
  return bytes >= MOST_32
}

/** Little-endian numbers, each of so many bytes: `packed('24', 20, 1)` → 14 00 01 00 00 00. */
function packed(widths: string, ...values: number[]): Buffer {
  return Buffer.concat(
    values.map((value, i) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64LE(BigInt(value))
      return bytes.subarray(0, Number(widths[i]))
    }),
  )
}
