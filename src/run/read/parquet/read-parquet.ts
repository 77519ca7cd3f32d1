import type { DocumentSink } from '../../../datasets/ingest/document-sink.js'
import { UNBOUNDED } from '../../../load/claim.js'
import { drive } from '../../../load/drive.js'
import type { Shard } from '../../shard.js'
import type { OpenTokenizer } from '../../tokenizer.js'
import { InputBytes } from '../input-bytes.js'
import type { InputFile } from '../input-file.js'
import type { ReadInput } from '../read-input.js'
import { columnPages, type StoredPage } from './column-pages.js'
import { type DocumentColumn, documentColumn } from './document-column.js'
import { PageReader } from './page-rows.js'
import { readFooter } from './parquet-file.js'
import { RowDocuments } from './rows.js'

/**
 * Passes the documents of a Parquet file on as ids: the strings, or the lists of ids, of one column. Memory holds one page of
 * it, whatever the sizes of file and row groups. The hash is taken in a second read of the same open file, which may be
 * replaced meanwhile.
 *
 * @param told called with the bytes of each page
 * @throws Error, InletError naming column, row group or row, with the rule and what is there
 */
export async function readParquet(
  shard: Shard,
  textColumn: string,
  made: OpenTokenizer,
  sink: DocumentSink,
  told: (bytes: number) => void,
): Promise<ReadInput> {
  if (shard.packing !== undefined)
    throw new Error(`Parquet must not be packed as a whole: its pages are. Given: ${shard.packing}`)
  const input = await InputBytes.open(shard, () => {})
  try {
    let bytes = 0
    const { size, characters } = await readRows(input.file!, textColumn, made, sink, (more) => {
      bytes += more
      told(more)
    })
    for await (const _ of input.chunks());
    const sha256 = await input.finish()
    told(size - bytes)
    return { sha256, bytes: input.bytes, characters }
  } finally {
    await input.close()
  }
}

async function readRows(
  file: InputFile,
  textColumn: string,
  made: OpenTokenizer,
  sink: DocumentSink,
  told: (bytes: number) => void,
): Promise<{ readonly size: number; readonly characters: number }> {
  const size = file.bytes ?? 0 // a pipe is no Parquet: its end cannot be read first
  const metadata = await readFooter(file, size)
  const column = documentColumn(metadata, textColumn)
  const rows = new RowDocuments(column, made, sink)
  for (const [index, group] of metadata.row_groups.entries())
    await readPages(columnPages(file, group, index, column), column, rows, told)
  await drive(UNBOUNDED, rows.end())
  return { size, characters: rows.numCharacters }
}

async function readPages(
  pages: AsyncIterable<StoredPage>,
  column: DocumentColumn,
  rows: RowDocuments,
  told: (bytes: number) => void,
): Promise<void> {
  const reader = new PageReader(column)
  for await (const page of pages) {
    const taken = reader.read(page)
    if (taken !== undefined) await drive(UNBOUNDED, rows.take(taken))
    told(page.storedBytes)
  }
}
