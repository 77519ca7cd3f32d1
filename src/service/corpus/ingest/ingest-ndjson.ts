import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import type { Claim } from '../../../first-layer/work/claim.js'
import { InletError, quoted } from '../../answer/error-table.js'
import { type IdLists, MAX_INT32 } from '../../request/body/id-lists.js'
import { checkBounds } from '../../request/body/json.js'
import { checkedUtf8 } from '../../request/body/utf8.js'
import type { DocumentSink } from './document-sink.js'
import { DocumentWriter, WRITER_BYTES, waiting } from './document-writer.js'
import { ANY_ID, idOutOfRange, placeOfWrong } from './id-limit.js'
import { type IngestFacts, type Intake, ingest } from './ingest.js'
import { lineDocument } from './json-line.js'
import { LINES_BYTES, Lines, type LineTaker } from './lines.js'
import { LONG_LINE_BYTES, LongLine } from './long-line.js'
import { TextDocuments, type TextSettings } from './text-documents.js'

export interface NdjsonUpload {
  /** How texts become ids; undefined: each line must have ids. */
  readonly text?: TextSettings | undefined
  /** The member that has a line's text. */
  readonly textField: string
  /** Ids must be below this; undefined: below 2^31. */
  readonly idLimit?: number | undefined
  /** An id appended to each document, also to an empty one. */
  readonly documentEnd?: number | undefined
  /** Bytes of the longest line: it is held as a whole. */
  readonly maxLineBytes: number
}

/** A line of at most so many bytes is parsed whatever it holds: it takes no time. */
const SHORT_LINE_BYTES = 1 << 16

/**
 * A document for each line of JSON, `{"text": "a"}` or `{"input_ids": [1, 2]}`; an empty text, or no ids, is an empty
 * document. Blank lines are left out. Errors name the line, from 1. Memory: the longest line.
 *
 * @param chunks UTF-8, cut anywhere
 * @throws InletError `invalid_json`, `invalid_request`, `invalid_unicode`, `token_out_of_range`, `body_too_large` for a
 * line, `empty_input` where all lines are blank
 */
export async function ingestNdjson(
  chunks: AsyncIterable<Uint8Array>,
  upload: NdjsonUpload,
  sink: DocumentSink,
  claim: Claim,
): Promise<IngestFacts> {
  return ingest(checkedUtf8(chunks, notUtf8), new JsonDocuments(upload, sink), claim)
}

function notUtf8(byte: number): InletError {
  return new InletError('invalid_unicode', `The body must be UTF-8: byte ${byte} is not.`)
}

class JsonDocuments implements Intake, LineTaker {
  readonly heldBytes = WRITER_BYTES + LINES_BYTES + LONG_LINE_BYTES
  readonly #lines = new Lines(this)
  readonly #writer: DocumentWriter
  readonly #texts: TextDocuments | undefined
  readonly #long: LongLine

  constructor(
    private readonly upload: NdjsonUpload,
    sink: DocumentSink,
  ) {
    this.#writer = new DocumentWriter(sink, upload.documentEnd)
    this.#texts = upload.text && new TextDocuments(upload.text, this.#writer)
    this.#long = new LongLine(upload.maxLineBytes)
  }

  write(bytes: Buffer): Steps<void> {
    return this.#lines.write(bytes)
  }

  *end(): Steps<IngestFacts> {
    yield* this.#lines.end()
    yield this.#writer.flush()
    const message = 'The body must have a line that is not blank. Given: none'
    if (this.#writer.numDocuments === 0) throw new InletError('empty_input', message)
    return { numCharacters: this.#writer.ids.characters }
  }

  line(bytes: Buffer, start: number, end: number): Steps<void> | undefined {
    const { textField } = this.upload
    if (end - start > SHORT_LINE_BYTES) checkBounds(bytes.subarray(start, end))
    const document = lineDocument(bytes.toString('utf8', start, end), textField)
    if (document === undefined) return undefined
    const { field, given } = document
    if (field === textField && this.#texts === undefined) throw withoutTokenizer(field)
    if (typeof given !== 'string') return this.#writeIds(given)
    // The text is tokenized where its line lies, which it is never longer than.
    return this.#texts!.write(bytes, start, start + bytes.write(given, start))
  }

  part(bytes: Buffer): Steps<void> {
    return this.#long.append(bytes)
  }

  *endParts(): Steps<void> {
    const { bytes } = this.#long
    yield bytes.length // what JSON.parse makes of them
    yield* this.line(bytes, 0, bytes.length) ?? []
    yield -bytes.length
    yield* this.#long.end()
  }

  /** @param lists undefined: an empty document */
  *#writeIds(lists: IdLists | undefined): Steps<void> {
    const limit = this.upload.idLimit ?? ANY_ID
    let before = 0
    for (const ids of lists?.documents.ids.blocks() ?? []) {
      yield PAUSE
      const bound = Math.min(limit, MAX_INT32) // as which a larger id stands here
      for (let i = placeOfWrong(ids, bound); i >= 0; i = placeOfWrong(ids, bound, i + 1)) {
        const id = lists!.at(before + i)
        if (id >= limit) throw idOutOfRange(before + i, id, limit)
      }
      yield* waiting(this.#writer.write(ids)) ?? []
      before += ids.length
    }
    yield* waiting(this.#writer.endDocument()) ?? []
  }
}

function withoutTokenizer(field: string): InletError {
  const message = `${quoted(field)} must not be given without \`encoding\` or \`model\`: nothing tells how it becomes ids.`
  return new InletError('invalid_request', message, field)
}
