import type { ColumnMetaData, PageHeader, RowGroup } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import type { InputFile } from '../input-file.js'
import type { DocumentColumn } from './document-column.js'
import { parsed } from './parquet-file.js'

/** Bytes of a read that holds several pages. */
const WINDOW_BYTES = 1 << 20
/** Most bytes of a page, packed and unpacked: it is held as a whole. */
const MAX_PAGE_BYTES = 2 ** 30
/** Most bytes of a page's header, which may have the page's greatest value. */
const MAX_HEADER_BYTES = 1 << 24

/** A page as it is stored. */
export interface StoredPage {
  readonly header: PageHeader
  readonly bytes: Uint8Array
  /** Bytes of the file that header and page take. */
  readonly storedBytes: number
  readonly chunk: ColumnMetaData
}

/**
 * The pages of a column in one row group, read one after the other: memory holds one page, however large the group is.
 *
 * @param index of the row group, for messages
 * @throws Error naming the row group, for pages that are too large or not there
 */
export async function* columnPages(
  file: InputFile,
  group: RowGroup,
  index: number,
  column: DocumentColumn,
): AsyncGenerator<StoredPage, void, void> {
  const chunk = chunkOf(group, index, column)
  const { data_page_offset, dictionary_page_offset: dictionary, total_compressed_size } = chunk
  const first = dictionary && dictionary < data_page_offset ? dictionary : data_page_offset // 0: there is none
  const end = Number(first + total_compressed_size)
  const place = `column ${column.name}, row group ${index}`
  let window: Uint8Array = new Uint8Array(0)
  let start = Number(first)
  /** Makes the window begin at `start` and have as many bytes, or all that are left. */
  const need = async (bytes: number) => {
    if (window.length >= bytes) return
    const length = Math.min(end - start, Math.max(bytes, WINDOW_BYTES))
    window = await file.read(start, length)
  }
  for (let values = 0n; values < chunk.num_values; ) {
    if (start >= end)
      throw new Error(`The content must be Parquet: ${place} has ${values} of ${chunk.num_values} values.`)
    const { header, headerBytes } = await readHeader(need, () => window, end - start, place)
    const { compressed_page_size: stored, uncompressed_page_size: plain } = header
    if (stored < 0 || Math.max(stored, plain) > MAX_PAGE_BYTES)
      throw new Error(
        `A page must have at most ${MAX_PAGE_BYTES} bytes. Given: ${stored}, unpacked ${plain}, in ${place}`,
      )
    if (headerBytes + stored > end - start)
      throw new Error(
        `The content must be Parquet: a page of ${stored} bytes goes beyond its end, in ${place}.`,
      )
    await need(headerBytes + stored)
    const storedBytes = headerBytes + stored
    yield { header, bytes: window.subarray(headerBytes, storedBytes), storedBytes, chunk }
    window = window.subarray(storedBytes)
    start += storedBytes
    values += BigInt((header.data_page_header ?? header.data_page_header_v2)?.num_values ?? 0)
  }
}

function chunkOf(
  { columns }: RowGroup,
  index: number,
  { name, path, schemaPath }: DocumentColumn,
): ColumnMetaData {
  const key = path.join('\0')
  const chunk = columns.find(({ meta_data }) => meta_data?.path_in_schema.join('\0') === key)
  if (chunk?.meta_data === undefined)
    throw new Error(`The content must be Parquet: row group ${index} has no column ${name}.`)
  if (chunk.file_path !== undefined)
    throw new Error(`The column ${name} must be in the file itself. Given: it is in ${chunk.file_path}`)
  const { type } = schemaPath.at(-1)!.element
  if (chunk.meta_data.type !== type)
    throw new Error(
      `The content must be Parquet: row group ${index} has ${chunk.meta_data.type}, not ${type}.`,
    )
  return chunk.meta_data
}

/** Reads a header of unknown length: the window grows until it is whole. */
async function readHeader(
  need: (bytes: number) => Promise<void>,
  window: () => Uint8Array,
  left: number,
  place: string,
): Promise<{ readonly header: PageHeader; readonly headerBytes: number }> {
  const most = Math.min(left, MAX_HEADER_BYTES)
  for (let bytes = Math.min(most, 4096); ; bytes = Math.min(most, 8 * bytes)) {
    await need(bytes)
    const { buffer, byteOffset } = window()
    const reader = { view: new DataView(buffer, byteOffset, bytes), offset: 0 }
    try {
      const header = parquetHeader(reader)
      return { header, headerBytes: reader.offset }
    } catch (error) {
      if (bytes === most)
        parsed(() => {
          throw new Error(`${(error as Error).message}, in ${place}`)
        })
    }
  }
}
