import { isUtf8 } from 'node:buffer'
import {
  type AsyncBuffer,
  type DecodedArray,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { InletError, shown } from '../first-layer/errors.js'
import { checkedIds, type DocumentWriter } from './document-writer.js'
import { IDS_FIELD, isRefusedMember, refusedMember } from './ingest-ndjson.js'
import { type TextSettings, textOf, writeText } from './ingest-text.js'

/** The bytes of a file, read by position. */
export interface ParquetFile {
  /** Undefined: it is no file. */
  readonly bytes: number | undefined
  read(start: number, length: number): Promise<Buffer>
}

export interface ParquetUpload extends TextSettings {
  /** Ids of a column of ids must be below this. */
  readonly idLimit: number
}

/**
 * Passes the documents of a Parquet file on as ids: the strings, or the lists of ids, of one column. Memory holds that column
 * of one row group.
 *
 * @param told called with bytes of the file, as many as go with the rows
 * @throws Error, InletError naming column and row group, or row, with the rule and what is there
 */
export async function ingestParquet(
  file: ParquetFile,
  textColumn: string,
  upload: ParquetUpload,
  writer: DocumentWriter,
  told: (bytes: number) => void,
): Promise<void> {
  if (file.bytes === undefined)
    throw new Error('Parquet must be a file, since what it holds stands at its end.')
  if (file.bytes === 0) return
  const stored: AsyncBuffer = {
    byteLength: file.bytes,
    async slice(start, end = file.bytes!) {
      const { buffer, byteOffset, length } = await file.read(start, end - start)
      return buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer
    },
  }
  const metadata = await parsed('', () => parquetMetadataAsync(stored, { geoparquet: false }))
  const names = parquetSchema(metadata).children.map(({ element }) => element.name)
  const name = [textColumn, IDS_FIELD].find((each) => names.includes(each))
  if (name === undefined)
    throw new Error(`The file must have a column ${textColumn} or ${IDS_FIELD}. Given: ${names.join(', ')}`)
  const refused = names.find((each) => isRefusedMember(each, name))
  if (refused !== undefined) throw refusedMember(refused)
  const numRows = Number(metadata.num_rows)
  let [row, toldBytes] = [0, 0]
  for (const [index, { num_rows }] of metadata.row_groups.entries()) {
    const place = ` in column ${name}, row group ${index}`
    const parts: DecodedArray[] = []
    const [rowStart, rowEnd] = [row, row + Number(num_rows)]
    await parsed(place, () =>
      parquetRead({
        ...{ file: stored, metadata, columns: [name], compressors, geoparquet: false, rowStart, rowEnd },
        ...{ utf8: false, parsers: { stringFromBytes: (bytes) => bytes } }, // bytes are tokenized as they are
        onChunk: ({ columnData }) => parts.push(columnData),
      }),
    )
    for (const part of parts) for (const value of part) await writeRow(value, row++, name, upload, writer)
    if (row !== rowEnd)
      throw new Error(`The content must be Parquet: ${row - rowStart} of ${num_rows} rows${place}`)
    const bytes = Math.floor((file.bytes * row) / Math.max(1, numRows))
    told(bytes - toldBytes)
    toldBytes = bytes
  }
}

/** Names the format and the place in the library's errors. */
async function parsed<Result>(place: string, parse: () => Promise<Result>): Promise<Result> {
  try {
    return await parse()
  } catch (error) {
    throw new Error(`The content must be Parquet: ${(error as Error).message}${place}`, { cause: error })
  }
}

/** A row's document. @throws InletError naming the row, from 0, for another type, what is not UTF-8, and ids out of range */
async function writeRow(
  value: unknown,
  row: number,
  column: string,
  upload: ParquetUpload,
  writer: DocumentWriter,
): Promise<void> {
  await writer.pause()
  const place = `Row ${row} of the column ${column}`
  if (value instanceof Uint8Array) {
    if (!isUtf8(value)) throw new InletError('invalid_unicode', `${place} must be UTF-8.`)
    const utf8 = Buffer.from(value.buffer, value.byteOffset, value.length)
    return writeText(upload, textOf(utf8), writer)
  }
  if (!Array.isArray(value))
    throw new InletError(
      'invalid_request',
      `${place} must be a string, or a list of ids. Given: ${shown(value)}`,
    )
  const ids = value.map((id) => (typeof id === 'bigint' ? Number(id) : id))
  await writer.write(checkedIds(ids, upload.idLimit, `Row ${row}: `))
  await writer.endDocument()
}
