import { crc32c } from './crc32c.js'
import { Damage } from './damage.js'
import { type FileSystem, readAll } from './file-system.js'
import { CRC_BYTES, crcBytes, HEADER_BYTES, type RecordKind, readHeader } from './record.js'

/** A record of a log as it was written. */
export interface StoredRecord {
  readonly kind: RecordKind
  readonly fields: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
  /** Where the next one begins. */
  readonly end: number
}

/**
 * Reads a log's records in their order. Those that end before the file does are there to the bit; the last one may be cut
 * off by the file's end, since the process died while it was written: it ends the records, and was never acknowledged.
 *
 * @param log the log's number
 * @throws Damage
 */
export function* readRecords(
  fs: FileSystem,
  file: number,
  path: string,
  log: number,
): Generator<StoredRecord, void, void> {
  const { size } = fs.fstatSync(file)
  const headerBytes = new Uint8Array(HEADER_BYTES)
  let start = 0
  for (let index = 0; start + HEADER_BYTES <= size; index++) {
    const damaged = (offset: number, rule: string) => new Damage(path, offset, rule)
    const read = (out: Uint8Array, position: number) => {
      if (!readAll(fs, file, out, position)) throw damaged(position, 'the file ends earlier than it did')
    }
    read(headerBytes, start)
    const header = readHeader(headerBytes)
    if (header === undefined) throw damaged(start, 'the header of a record is not as it was written')
    if (header.log !== log || header.index !== index) {
      const [found, due] = [`${header.index} of log ${header.log}`, `${index} of log ${log}`]
      throw damaged(start, `record ${found} stands where record ${due} belongs`)
    }
    const { kind, fieldBytes, bodyBytes } = header
    const content = start + HEADER_BYTES
    const end = content + fieldBytes + bodyBytes + CRC_BYTES
    if (end > size) return
    const fields = new Uint8Array(fieldBytes)
    const body = new Uint8Array(bodyBytes)
    const crc = new Uint8Array(CRC_BYTES)
    read(fields, content)
    read(body, content + fieldBytes)
    read(crc, end - CRC_BYTES)
    if (Buffer.compare(crc, crcBytes(crc32c(body, crc32c(fields)))) !== 0) {
      throw damaged(content, 'the content of a record is not as it was written')
    }
    yield { kind, fields: JSON.parse(Buffer.from(fields).toString()), body, end }
    start = end
  }
}
