import { crc32c } from './crc32c.js'

/** What a record is: the log's first one, or a call. */
export const KINDS = ['begin', 'gradients', 'step'] as const
export type RecordKind = (typeof KINDS)[number]

/**
 * A record, little-endian:
 *
 * | bytes | |
 * |---|---|
 * | 0–3 | `INLR` |
 * | 4 | kind, its index in {@link KINDS} |
 * | 5–7 | zero |
 * | 8–11 | the log's number N |
 * | 12–15 | the record's number in the log, from 0 |
 * | 16–19 | bytes of its fields |
 * | 20–27 | bytes of its body |
 * | 28–31 | CRC-32C of the bytes before |
 *
 * then the fields as JSON, the body, and four bytes: CRC-32C of both.
 */
export interface RecordHeader {
  readonly kind: RecordKind
  /** The log's number, as in its name: a record of another log is none of this one. */
  readonly log: number
  readonly index: number
  readonly fieldBytes: number
  readonly bodyBytes: number
}

export const HEADER_BYTES = 32
export const CRC_BYTES = 4
const MAGIC = 0x524c4e49
const CHECKED_BYTES = HEADER_BYTES - CRC_BYTES

export function writeHeader({ kind, log, index, fieldBytes, bodyBytes }: RecordHeader): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, MAGIC, true)
  view.setUint8(4, KINDS.indexOf(kind))
  view.setUint32(8, log, true)
  view.setUint32(12, index, true)
  view.setUint32(16, fieldBytes, true)
  view.setBigUint64(20, BigInt(bodyBytes), true)
  view.setUint32(CHECKED_BYTES, crc32c(bytes.subarray(0, CHECKED_BYTES)), true)
  return bytes
}

/** @returns undefined where the bytes are not those of a header as it was written */
export function readHeader(bytes: Uint8Array): RecordHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES)
  if (view.getUint32(CHECKED_BYTES, true) !== crc32c(bytes.subarray(0, CHECKED_BYTES))) return undefined
  const kind = KINDS[view.getUint8(4)]
  if (view.getUint32(0, true) !== MAGIC || kind === undefined) return undefined
  return {
    kind,
    log: view.getUint32(8, true),
    index: view.getUint32(12, true),
    fieldBytes: view.getUint32(16, true),
    bodyBytes: Number(view.getBigUint64(20, true)),
  }
}

/** The four bytes after a record's content. */
export function crcBytes(crc: number): Uint8Array {
  const bytes = new Uint8Array(CRC_BYTES)
  new DataView(bytes.buffer).setUint32(0, crc, true)
  return bytes
}
