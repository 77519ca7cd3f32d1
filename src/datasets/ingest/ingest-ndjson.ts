import { InletError, quoted } from '../../errors.js'
import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { Claim } from '../../load/claim.js'
import { type IdLists, MAX_INT32 } from '../../wire/id-lists.js'
import { writeUnescaped } from '../../wire/json/escapes.js'
import { JsonText } from '../../wire/json/json-texts.js'
import { checkedUtf8 } from '../../wire/utf8.js'
import type { DocumentSink } from './document-sink.js'
import { DocumentWriter, WRITER_BYTES, waiting } from './document-writer.js'
import { ANY_ID, idOutOfRange, placeOfWrong } from './id-limit.js'
import { type IngestFacts, type Intake, ingest } from './ingest.js'
import { JsonLine, type LineDocument } from './json-line.js'
import { LINES_BYTES, Lines, type LineTaker } from './lines.js'
import { LONG_LINE_BYTES, LongLine } from './long-line.js'
import { PlainLine } from './plain-line.js'
import { TEXT_DOCUMENTS_BYTES, TextDocuments, type TextSettings } from './text-documents.js'

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

/** Bytes of JSON up to which a text with escapes is made to UTF-8 as a whole. */
const ROOM_BYTES = 1 << 16

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
  readonly heldBytes = WRITER_BYTES + TEXT_DOCUMENTS_BYTES + LINES_BYTES + LONG_LINE_BYTES + ROOM_BYTES
  readonly #lines = new Lines(this)
  readonly #writer: DocumentWriter
  readonly #texts: TextDocuments | undefined
  readonly #long: LongLine
  readonly #room = Buffer.allocUnsafeSlow(ROOM_BYTES)
  readonly #plain: PlainLine

  constructor(
    private readonly upload: NdjsonUpload,
    sink: DocumentSink,
  ) {
    this.#writer = new DocumentWriter(sink, upload.documentEnd)
    this.#texts = upload.text && new TextDocuments(upload.text, this.#writer)
    this.#long = new LongLine(upload.maxLineBytes)
    this.#plain = new PlainLine(upload.textField)
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

  leave(): Steps<void> | undefined {
    return this.#texts?.flush()
  }

  line(bytes: Buffer, start: number, end: number): Steps<void> | undefined {
    if (this.#texts !== undefined && this.#plain.find(bytes, start, end))
      return this.#writePlain(this.#texts, bytes, this.#plain)
    const line = new JsonLine(bytes.subarray(start, end), this.upload.textField)
    const rest = line.read()
    return this.#writeLine(line, rest)
  }

  part(bytes: Buffer): Steps<void> {
    return this.#long.append(bytes)
  }

  *endParts(): Steps<void> {
    const { bytes } = this.#long
    yield* this.line(bytes, 0, bytes.length) ?? []
    yield* this.leave() ?? []
    yield* this.#long.end()
  }

  *#writeLine(line: JsonLine, rest: Steps<unknown> | undefined): Steps<void> {
    yield* rest ?? []
    const document = line.document()
    if (document !== undefined) yield* this.#write(document)
    if (line.reserved > 0) yield -line.reserved
  }

  *#write({ field, given }: LineDocument): Steps<void> {
    if (field === this.upload.textField && this.#texts === undefined) throw withoutTokenizer(field)
    yield* this.leave() ?? [] // documents stand in the order of their lines
    if (given === undefined) yield* waiting(this.#writer.endDocument()) ?? []
    else yield* given instanceof JsonText ? this.#writeText(this.#texts!, given) : this.#writeIds(given)
  }

  *#writeText(texts: TextDocuments, text: JsonText): Steps<void> {
    if (text.length > ROOM_BYTES) return yield* texts.writePieces(text.pieces())
    const utf8 = text.utf8(this.#room)
    yield* texts.write(utf8, 0, utf8.length) ?? []
    yield* texts.flush() ?? []
  }

  /** A text is tokenized where it lies; one with escapes is written again there, where it is never longer. */
  #writePlain(
    texts: TextDocuments,
    bytes: Buffer,
    { start, end, hasEscapes }: PlainLine,
  ): Steps<void> | undefined {
    if (!hasEscapes) return texts.write(bytes, start, end)
    const { written } = writeUnescaped(bytes, start, end, bytes.subarray(start, end))
    return texts.write(bytes, start, start + written)
  }

  *#writeIds(lists: IdLists): Steps<void> {
    const limit = this.upload.idLimit ?? ANY_ID
    let before = 0
    for (const ids of lists.documents.ids.blocks()) {
      yield PAUSE
      const bound = Math.min(limit, MAX_INT32) // as which a larger id stands here
      for (let i = placeOfWrong(ids, bound); i >= 0; i = placeOfWrong(ids, bound, i + 1)) {
        const id = lists.at(before + i)
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
