import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { Compressors, DecodedArray } from 'hyparquet'
import { decompressPage } from 'hyparquet/src/datapage.js'
import { compressors, decompressZstd } from 'hyparquet-compressors'
import type { StoredPage } from './column-pages.js'
import type { DocumentColumn } from './document-column.js'
import { readValues } from './page-values.js'
import { parsed } from './parquet-file.js'
import { readRuns } from './runs.js'

/** Most values of a page, nulls included: broken files name any number. */
const MAX_PAGE_VALUES = 1 << 26

/** A page's values: strings as UTF-8, or ids; those that are null are left out. */
export interface PageRows {
  readonly values: DecodedArray
  /** Of each value, or null, or empty list: 0 where a row begins with it. Empty: each is a row. */
  readonly repetition: Uint8Array
  /** Of each the level at which it is there. Empty: none is null. */
  readonly definition: Uint8Array
}

/** Node's own where it has one: they are faster. None makes more bytes than the header says. */
const UNPACKERS: Compressors = {
  ...compressors,
  GZIP: (bytes, length) => gunzipSync(bytes, { maxOutputLength: length || 1 }),
  BROTLI: (bytes, length) => brotliDecompressSync(bytes, { maxOutputLength: length || 1 }),
  ZSTD: (bytes, length) => decompressZstd(bytes, new Uint8Array(length)),
}

/** Decodes the pages of one column chunk, one after the other. */
export class PageReader {
  readonly #maxRepetition: number
  #dictionary: DecodedArray | undefined

  constructor(private readonly column: DocumentColumn) {
    this.#maxRepetition = column.holds === 'ids' ? 1 : 0
  }

  /** The rows of a page; undefined: it has none. @throws Error for content that is no page */
  read(page: StoredPage): PageRows | undefined {
    return parsed(() => this.#read(page))
  }

  #read(page: StoredPage): PageRows | undefined {
    const { header, bytes } = page
    const {
      dictionary_page_header: dictionary,
      data_page_header: first,
      data_page_header_v2: second,
    } = header
    const count = checkedCount((dictionary ?? first ?? second)?.num_values ?? 0)
    if (dictionary !== undefined) {
      const plain = unpackedBytes(page, bytes, header.uncompressed_page_size)
      this.#dictionary = readValues(plain, 'PLAIN', count, page.chunk.type)
      return undefined
    }
    if (first !== undefined) {
      const plain = new Levels(unpackedBytes(page, bytes, header.uncompressed_page_size))
      const repetition = plain.sized(this.#maxRepetition, count)
      const definition = plain.sized(this.column.levels.value, count)
      return this.#rows(plain.rest, first.encoding, repetition, definition, page)
    }
    if (second === undefined) return undefined
    const { repetition_levels_byte_length: ahead, definition_levels_byte_length: behind } = second
    const levels = new Levels(bytes)
    const repetition = levels.of(ahead, this.#maxRepetition, count)
    const definition = levels.of(behind, this.column.levels.value, count)
    const length = header.uncompressed_page_size - ahead - behind
    const rest = second.is_compressed === false ? levels.rest : unpackedBytes(page, levels.rest, length)
    return this.#rows(rest, second.encoding, repetition, definition, page)
  }

  #rows(
    bytes: Uint8Array,
    encoding: string,
    repetition: Uint8Array,
    definition: Uint8Array,
    { header, chunk }: StoredPage,
  ): PageRows {
    const { value } = this.column.levels
    let count = (header.data_page_header ?? header.data_page_header_v2)!.num_values
    for (const level of definition) if (level !== value) count--
    return {
      values: readValues(bytes, encoding, count, chunk.type, this.#dictionary),
      repetition,
      definition,
    }
  }
}

function checkedCount(count: number): number {
  if (count >= 0 && count <= MAX_PAGE_VALUES) return count
  throw new Error(`a page must have at most ${MAX_PAGE_VALUES} values. Given: ${count}`)
}

function unpackedBytes({ chunk }: StoredPage, bytes: Uint8Array, length: number): Uint8Array {
  return length === 0 ? new Uint8Array(0) : decompressPage(bytes, length, chunk.codec, UNPACKERS)
}

/** The levels before a page's values. */
class Levels {
  constructor(public rest: Uint8Array) {}

  /** Those behind their length, as in pages of the first version. */
  sized(max: number, count: number): Uint8Array {
    if (max === 0) return new Uint8Array(0)
    const { buffer, byteOffset, length } = this.rest
    const bytes = new DataView(buffer, byteOffset, length).getUint32(0, true)
    this.rest = this.rest.subarray(4)
    return this.of(bytes, max, count)
  }

  of(bytes: number, max: number, count: number): Uint8Array {
    if (bytes < 0 || bytes > this.rest.length) throw new Error('its levels go beyond a page')
    const levels = this.rest.subarray(0, bytes)
    this.rest = this.rest.subarray(bytes)
    return max === 0 ? new Uint8Array(0) : readRuns(levels, 32 - Math.clz32(max), new Uint8Array(count))
  }
}
