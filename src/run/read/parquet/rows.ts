import { isUtf8 } from 'node:buffer'
import type { DocumentSink } from '../../../datasets/ingest/document-sink.js'
import { DocumentWriter, waiting } from '../../../datasets/ingest/document-writer.js'
import { idOutOfRange, placeOfWrong } from '../../../datasets/ingest/id-limit.js'
import { TextDocuments } from '../../../datasets/ingest/text-documents.js'
import { InletError } from '../../../errors.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { OpenTokenizer } from '../../tokenizer.js'
import type { DocumentColumn } from './document-column.js'
import type { PageRows } from './page-rows.js'

/** Rows between two pauses. */
const PAUSE_ROWS = 64

/** Makes a document of each row, in the order of the file. */
export class RowDocuments {
  readonly #writer: DocumentWriter
  readonly #texts: TextDocuments
  /** Rows that have ended. */
  #numRows = 0
  /** Ids of the present row so far, of which the next page may have more; undefined: no row has begun. */
  #place: number | undefined

  constructor(
    private readonly column: DocumentColumn,
    private readonly made: OpenTokenizer,
    sink: DocumentSink,
  ) {
    this.#writer = new DocumentWriter(sink, made.documentEnd)
    this.#texts = new TextDocuments(made, this.#writer)
  }

  get numCharacters(): number {
    return this.#writer.ids.characters
  }

  /** Takes a page's rows. @throws InletError naming the row, from 0, for null, what is not UTF-8, and ids out of range */
  take(page: PageRows): Steps<void> {
    return this.column.holds === 'text' ? this.#takeTexts(page) : this.#takeIds(page)
  }

  /** The file ends. @throws InletError `empty_input` for a file without rows */
  *end(): Steps<void> {
    yield* this.#endRow()
    yield this.#writer.flush()
    if (this.#numRows > 0) return
    throw new InletError('empty_input', `The column ${this.column.name} must have a row. Given: none`)
  }

  *#takeTexts({ values, definition }: PageRows): Steps<void> {
    const count = definition.length || values.length
    let place = 0
    let memory: Buffer | undefined
    for (let i = 0; i < count; i++) {
      if (definition.length > 0 && definition[i] !== this.column.levels.value) throw this.#isNull()
      const bytes = values[place++] as Uint8Array
      if (!isUtf8(bytes)) throw this.#error('invalid_unicode', 'must be UTF-8')
      if (memory?.buffer !== bytes.buffer) memory = Buffer.from(bytes.buffer)
      const rest = this.#texts.write(memory, bytes.byteOffset, bytes.byteOffset + bytes.length)
      if (rest !== undefined) yield* rest
      this.#numRows++
      if (i % PAUSE_ROWS === 0) yield PAUSE
    }
    yield* this.#texts.flush() ?? []
  }

  *#takeIds({ values, repetition, definition }: PageRows): Steps<void> {
    const { levels } = this.column
    const count = repetition.length
    let first = 0
    for (let i = 0; i < count; ) {
      if (repetition[i] === 0) {
        yield* this.#endRow()
        this.#place = 0
      } else if (this.#place === undefined) throw new Error('The content must be Parquet: no row begins.')
      const level = definition.length > 0 ? definition[i]! : levels.value
      if (level < levels.list) throw this.#isNull()
      let length = 0
      if (level > levels.list) {
        do {
          if (definition.length > 0 && definition[i] !== levels.value) throw this.#isNull()
          length++
          i++
        } while (i < count && repetition[i] !== 0)
      } else i++
      yield* this.#writeIds(values, first, length)
      first += length
    }
  }

  *#writeIds(values: ArrayLike<number | bigint>, first: number, length: number): Steps<void> {
    yield PAUSE
    const given = Float64Array.from({ length }, (_, i) => Number(values[first + i]))
    const ids = Int32Array.from(given)
    const wrong = placeOfWrong(given as unknown as Int32Array, this.made.idLimit)
    if (wrong >= 0) throw this.#inRow(idOutOfRange(this.#place! + wrong, given[wrong]!, this.made.idLimit))
    yield* waiting(this.#writer.write(ids)) ?? []
    this.#place! += length
  }

  *#endRow(): Steps<void> {
    if (this.#place === undefined) return
    this.#place = undefined
    this.#numRows++
    yield* waiting(this.#writer.endDocument()) ?? []
  }

  #isNull(): InletError {
    return this.#error('invalid_request', 'must not be null')
  }

  #error(code: 'invalid_request' | 'invalid_unicode', rule: string): InletError {
    return new InletError(code, `Row ${this.#numRows} of the column ${this.column.name} ${rule}.`)
  }

  #inRow(error: InletError): InletError {
    return new InletError(error.code, `Row ${this.#numRows}: ${error.message}`, error.param)
  }
}
