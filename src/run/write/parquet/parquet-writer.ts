import type { KeyValue, ParquetType, RowGroup, SchemaElement } from 'hyparquet'
import { Encodings, PageTypes } from 'hyparquet/src/constants.js'
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js'
import { writeMetadata } from 'hyparquet-writer/src/metadata.js'
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js'

const MAGIC = Buffer.from('PAR1')
/** A page's lengths are 32-bit numbers. */
const MAX_PAGE_BYTES = 2 ** 31 - 1

/** A page but for its numbers, which follow it: row-major, little-endian, not packed. */
export interface PageFacts {
  readonly rows: number
  /** Numbers, and lists that are empty. */
  readonly values: number
  readonly emptyLists: number
  readonly repetition: Uint8Array
  readonly definition: Uint8Array
  /** Bytes of the numbers. */
  readonly bytes: number
}

/** A column: the type of its numbers, and its path from the root's child to them. */
export interface ParquetColumn {
  readonly type: ParquetType
  readonly path: readonly string[]
}

/**
 * What a Parquet file has beside its numbers: heads of pages, and the description at its end. Row groups and columns come in the
 * order of the file; the bytes depend on what is written alone.
 */
export class ParquetWriter {
  readonly #groups: RowGroup[] = []
  #place = MAGIC.length
  #rows = 0n

  /** @param schema from the root on, parents first */
  constructor(
    private readonly schema: SchemaElement[],
    private readonly columns: readonly ParquetColumn[],
    private readonly metadata: readonly KeyValue[],
  ) {}

  /** The first bytes. */
  begin(): Uint8Array {
    return MAGIC
  }

  beginGroup(): void {
    this.#groups.push({ columns: [], total_byte_size: 0n, num_rows: 0n, total_compressed_size: 0n })
  }

  /** Begins the next column of the row group. */
  beginColumn(): void {
    const group = this.#groups.at(-1)!
    const { type, path } = this.columns[group.columns.length]!
    group.columns.push({
      file_offset: 0n,
      meta_data: {
        ...{ type, encodings: ['PLAIN', 'RLE'], path_in_schema: [...path], codec: 'UNCOMPRESSED' },
        ...{ num_values: 0n, total_uncompressed_size: 0n, total_compressed_size: 0n },
        data_page_offset: BigInt(this.#place),
      },
    })
  }

  /** The bytes before a page's numbers. @throws Error for a page that is too long: its one row is */
  page({ rows, values, emptyLists, repetition, definition, bytes }: PageFacts): Uint8Array {
    const length = repetition.length + definition.length + bytes
    if (length > MAX_PAGE_BYTES)
      throw new Error(`A row must have at most ${MAX_PAGE_BYTES} bytes in Parquet. Given: ${length}`)
    const writer = new ByteWriter()
    serializeTCompactProtocol(writer, {
      field_1: PageTypes.indexOf('DATA_PAGE_V2'),
      field_2: length,
      field_3: length,
      field_8: {
        ...{ field_1: values, field_2: emptyLists, field_3: rows, field_4: Encodings.indexOf('PLAIN') },
        ...{ field_5: definition.length, field_6: repetition.length, field_7: false },
      },
    })
    const head = Buffer.concat([writer.getBytes(), repetition, definition])
    this.#count(head.length + bytes, values, rows)
    return head
  }

  /** The last bytes. */
  end(): Uint8Array {
    const writer = new ByteWriter()
    writeMetadata(writer, {
      ...{ version: 2, created_by: 'inlet', schema: this.schema, num_rows: this.#rows },
      ...{ row_groups: this.#groups, key_value_metadata: [...this.metadata], metadata_length: 0 },
    })
    return Buffer.concat([writer.getBytes(), MAGIC])
  }

  #count(bytes: number, values: number, rows: number): void {
    this.#place += bytes
    const group = this.#groups.at(-1)!
    const { meta_data: chunk } = group.columns.at(-1)!
    chunk!.num_values += BigInt(values)
    chunk!.total_uncompressed_size += BigInt(bytes)
    chunk!.total_compressed_size += BigInt(bytes)
    group.total_byte_size += BigInt(bytes)
    group.total_compressed_size! += BigInt(bytes)
    if (group.columns.length > 1) return
    group.num_rows += BigInt(rows)
    this.#rows += BigInt(rows)
  }
}
