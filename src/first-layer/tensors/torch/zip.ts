/** Bytes that a field of 32 bits counts; longer entries are written as Zip64. */
const MOST_32 = 0xffffffff
/** 1 January 1980, the earliest date of a zip. */
const DATE = 0x21
/** Version that a reader needs: 2.0, or 4.5 for Zip64. */
const VERSION = 20
const VERSION_64 = 45
/** General purpose bit 3: sizes and CRC follow the data. */
const FOLLOWS = 8
/** Bytes of a local header and of a directory entry, without name and extra fields. */
const LOCAL_BYTES = 30
const DIRECTORY_BYTES = 46
/** Id of the extra field of Zip64, and of the one that only fills up, as PyTorch has it. */
const ZIP64_FIELD = 0x0001
const PADDING_FIELD = 0x4246

/** A stored (never deflated) entry. */
export interface ZipEntry {
  readonly name: string
  readonly bytes: number
  /** CRC-32 of the data. */
  readonly crc: number
  /** Offset of the local header. */
  readonly at: number
  /** Sizes and CRC stand after the data. */
  readonly follows: boolean
}

function isLong(bytes: number): boolean {
  return bytes >= MOST_32
}

/** The header before an entry whose bytes are all known. */
export function localHeader({ name, bytes, crc }: Pick<ZipEntry, 'name' | 'bytes' | 'crc'>): Buffer {
  return local({ name, flags: 0, version: VERSION, crc, bytes, extra: Buffer.alloc(0) })
}

/**
 * The header before an entry whose CRC is known only after its data.
 *
 * @param at where the header begins: the data is made to begin at a multiple of `alignment`
 */
export function openHeader(name: string, bytes: number, at: number, alignment: number): Buffer {
  const zip64 = isLong(bytes) ? zip64Field(0, 0) : Buffer.alloc(0)
  const before = at + LOCAL_BYTES + name.length + zip64.length + 4 // 4: the padding field's own header
  const padding = Buffer.alloc(4 + ((alignment - (before % alignment)) % alignment))
  padding.writeUInt16LE(PADDING_FIELD, 0)
  padding.writeUInt16LE(padding.length - 4, 2)
  const extra = Buffer.concat([zip64, padding])
  const version = isLong(bytes) ? VERSION_64 : VERSION
  return local({ name, flags: FOLLOWS, version, crc: 0, bytes: isLong(bytes) ? MOST_32 : 0, extra })
}

interface LocalFields {
  readonly name: string
  readonly flags: number
  readonly version: number
  readonly crc: number
  readonly bytes: number
  readonly extra: Buffer
}

function local({ name, flags, version, crc, bytes, extra }: LocalFields): Buffer {
  const header = Buffer.alloc(LOCAL_BYTES)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(version, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(DATE, 12)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(bytes, 18)
  header.writeUInt32LE(bytes, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, Buffer.from(name, 'latin1'), extra])
}

/** The descriptor behind the data of an entry that {@link openHeader} began. */
export function dataDescriptor(bytes: number, crc: number): Buffer {
  const width = isLong(bytes) ? 8 : 4
  const descriptor = Buffer.alloc(8 + 2 * width)
  descriptor.writeUInt32LE(0x08074b50, 0)
  descriptor.writeUInt32LE(crc, 4)
  for (const at of [8, 8 + width]) {
    if (isLong(bytes)) descriptor.writeBigUInt64LE(BigInt(bytes), at)
    else descriptor.writeUInt32LE(bytes, at)
  }
  return descriptor
}

/** The directory of all entries, which ends the file; it begins at `at`. */
export function centralDirectory(entries: readonly ZipEntry[], at: number): Buffer {
  const listed = Buffer.concat(entries.map(directoryEntry))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(listed.length, 12)
  end.writeUInt32LE(Math.min(at, MOST_32), 16)
  return Buffer.concat(
    isLong(at) ? [listed, zip64End(entries.length, listed.length, at), end] : [listed, end],
  )
}

function directoryEntry({ name, bytes, crc, at, follows }: ZipEntry): Buffer {
  const extra = isLong(bytes) ? zip64Field(bytes, bytes) : Buffer.alloc(0)
  const entry = Buffer.alloc(DIRECTORY_BYTES)
  const version = isLong(bytes) ? VERSION_64 : VERSION
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(version, 4)
  entry.writeUInt16LE(version, 6)
  entry.writeUInt16LE(follows ? FOLLOWS : 0, 8)
  entry.writeUInt16LE(DATE, 14)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(Math.min(bytes, MOST_32), 20)
  entry.writeUInt32LE(Math.min(bytes, MOST_32), 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt16LE(extra.length, 30)
  entry.writeUInt32LE(at, 42)
  return Buffer.concat([entry, Buffer.from(name, 'latin1'), extra])
}

/** Sizes of 64 bits, for an entry whose own fields are too narrow. */
function zip64Field(bytes: number, stored: number): Buffer {
  const field = Buffer.alloc(20)
  field.writeUInt16LE(ZIP64_FIELD, 0)
  field.writeUInt16LE(16, 2)
  field.writeBigUInt64LE(BigInt(bytes), 4)
  field.writeBigUInt64LE(BigInt(stored), 12)
  return field
}

/** The end of a directory that begins beyond 4 GiB, and the record with its place. */
function zip64End(count: number, bytes: number, at: number): Buffer {
  const end = Buffer.alloc(56 + 20)
  end.writeUInt32LE(0x06064b50, 0)
  end.writeBigUInt64LE(44n, 4) // bytes that follow
  end.writeUInt16LE(VERSION_64, 12)
  end.writeUInt16LE(VERSION_64, 14)
  end.writeBigUInt64LE(BigInt(count), 24)
  end.writeBigUInt64LE(BigInt(count), 32)
  end.writeBigUInt64LE(BigInt(bytes), 40)
  end.writeBigUInt64LE(BigInt(at), 48)
  end.writeUInt32LE(0x07064b50, 56)
  end.writeBigUInt64LE(BigInt(at + bytes), 64)
  end.writeUInt32LE(1, 72) // disks
  return end
}
