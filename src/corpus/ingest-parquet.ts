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
import {
  type DocumentFrame,
  type DocumentSink,
  DocumentWriter,
  idOutOfRange,
  type Pace,
} from './document-writer.js'
import { IDS_FIELD, isRefusedMember, refusedMember } from './ingest-ndjson.js'
import { type TextSettings, textOf, writeText } from './ingest-text.js'

/** The bytes of a file, read by position. */
export interface ParquetFile {
  /** Undefined: it is no file. */
  readonly bytes: number | undefined
  read(start: number, length: number): Promise<Buffer>
}

export interface ParquetUpload extends TextSettings, DocumentFrame {
  /** Ids of a column of ids must be below this. */
  readonly idLimit: number
}

/**
 * Passes the documents of a Parquet file on as ids: the strings, or the lists of ids, of one column. Memory holds that column
 * of one row group.
 *
 * @param told called with the stored bytes of the column in each row group
 * @returns code points of all texts
 * @throws Error, InletError naming column and row group, or row, with the rule and what is there
 */
export async function ingestParquet(
  file: ParquetFile,
  textColumn: string,
  upload: ParquetUpload,
  sink: DocumentSink,
  told: (bytes: number) => void,
  pace?: Pace,
): Promise<number> {
  if (file.bytes === undefined)
    throw new Error('Parquet must be a file, since what it holds stands at its end.')
  if (file.bytes === 0) return 0
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
  const rows = new RowDocuments(name, upload, new DocumentWriter(sink, upload, pace))
  for (const [index, { columns, num_rows }] of metadata.row_groups.entries()) {
    const place = ` in column ${name}, row group ${index}`
    const parts: DecodedArray[] = []
    const rowStart = rows.count
    await parsed(place, () =>
      parquetRead({
        ...{ file: stored, metadata, columns: [name], compressors, geoparquet: false },
        ...{ rowStart, rowEnd: rowStart + Number(num_rows) },
        ...{ utf8: false, parsers: { stringFromBytes: (bytes) => bytes } }, // bytes are tokenized as they are
        onChunk: ({ columnData }) => parts.push(columnData),
      }),
    )
    for (const part of parts) await rows.take(part)
    if (rows.count - rowStart !== Number(num_rows))
      throw new Error(`The content must be Parquet: ${rows.count - rowStart} of ${num_rows} rows${place}`)
    for (const { meta_data: column } of columns)
      if (column?.path_in_schema[0] === name) told(Number(column.total_compressed_size))
  }
  return rows.end()
}

/** Names the format and the place in the library's errors. */
async function parsed<Result>(place: string, parse: () => Promise<Result>): Promise<Result> {
  try {
    return await parse()
  } catch (error) {
    throw new Error(`The content must be Parquet: ${(error as Error).message}${place}`, { cause: error })
  }
}

/** Makes a document of each row, in the order of the file. */
class RowDocuments {
  count = 0

  constructor(
    private readonly column: string,
    private readonly upload: ParquetUpload,
    private readonly writer: DocumentWriter,
  ) {}

  /** @throws InletError naming the row, from 0, for null, another type, what is not UTF-8, and ids out of range */
  async take(values: DecodedArray): Promise<void> {
    for (const value of values) {
      if (value instanceof Uint8Array) {
        if (!isUtf8(value)) throw this.#error('invalid_unicode', 'must be UTF-8.')
        const utf8 = Buffer.from(value.buffer, value.byteOffset, value.length)
        await writeText(this.upload, textOf(utf8), this.writer)
      } else if (Array.isArray(value)) {
        await this.writer.pause()
        const ids = Int32Array.from(value, (id, place) => this.#checkedId(id, place))
        await this.writer.write(ids)
        await this.writer.endDocument()
      } else throw this.#wrongType(value)
      this.count++
    }
  }

  async end(): Promise<number> {
    await this.writer.flush()
    return this.writer.ids.characters
  }

  #checkedId(given: unknown, place: number): number {
    const id = typeof given === 'bigint' ? Number(given) : given
    if (typeof id !== 'number' || !Number.isInteger(id)) throw this.#wrongType(given)
    if (id >= 0 && id < this.upload.idLimit) return id
    const { code, message, param } = idOutOfRange(place, id, this.upload.idLimit)
    throw new InletError(code, `Row ${this.count}: ${message}`, param)
  }

  #wrongType(given: unknown): InletError {
    if (given === null || given === undefined) return this.#error('invalid_request', 'must not be null.')
    return this.#error('invalid_request', `must be a string, or a list of ids. Given: ${shown(given)}`)
  }

  #error(code: 'invalid_request' | 'invalid_unicode', rule: string): InletError {
    return new InletError(code, `Row ${this.count} of the column ${this.column} ${rule}`)
  }
}
