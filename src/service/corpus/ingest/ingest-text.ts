import type { Steps } from '../../../first-layer/steps.js'
import { STEP_IDS, TextWriter } from '../../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import type { Claim } from '../../../first-layer/work/drive.js'
import { InletError } from '../../answer/error-table.js'
import { checkedText } from '../../request/documents/checked-text.js'
import { type DocumentSink, DocumentWriter, WRITER_BYTES, waiting } from './document-writer.js'
import { type IngestFacts, type Intake, ingest } from './ingest.js'
import { LINES_BYTES, Lines, type LineTaker } from './lines.js'

export interface TextUpload extends TextSettings {
  /** Whether the whole text is a document, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
  /** An id appended to each document. */
  readonly documentEnd?: number | undefined
}

/**
 * Documents of plain text: the whole of it, or its lines. Each document is tokenized as if it were alone; lines have no
 * `\n` or `\r\n`, and empty lines are none. `a\n\nb` → `a`, `b`. Memory does not depend on the length of the text.
 *
 * @param chunks UTF-8, cut anywhere
 * @throws InletError `empty_input`, `invalid_unicode`; for a tokenizer that must hold a text as a whole `body_too_large`
 * and `tokenizer_unavailable`, with the line's number
 */
export async function ingestText(
  chunks: AsyncIterable<Uint8Array>,
  upload: TextUpload,
  sink: DocumentSink,
  claim: Claim,
): Promise<IngestFacts> {
  const writer = new DocumentWriter(sink, upload.documentEnd)
  const documents = new TextDocuments(upload, writer)
  const intake =
    upload.documents === 'one' ? new OneText(documents, writer) : new TextLines(documents, writer)
  return ingest(checkedText(chunks), intake, claim)
}

class OneText implements Intake {
  readonly heldBytes = WRITER_BYTES
  readonly #text: TextWriter

  constructor(
    documents: TextDocuments,
    private readonly writer: DocumentWriter,
  ) {
    this.#text = documents.begin()
  }

  write(bytes: Buffer): Steps<void> {
    return this.#text.write(bytes)
  }

  *end(): Steps<IngestFacts> {
    yield* this.#text.end()
    yield* waiting(this.writer.endDocument()) ?? []
    yield this.writer.flush()
    return { numCharacters: this.writer.ids.characters }
  }
}

class TextLines implements Intake, LineTaker {
  readonly heldBytes = WRITER_BYTES + LINES_BYTES
  readonly #lines = new Lines(this)
  #text: TextWriter | undefined

  constructor(
    private readonly documents: TextDocuments,
    private readonly writer: DocumentWriter,
  ) {}

  write(bytes: Buffer): Steps<void> {
    return this.#lines.write(bytes)
  }

  *end(): Steps<IngestFacts> {
    const { writer } = this
    yield* this.#lines.end()
    yield writer.flush()
    if (writer.numDocuments === 0) throw new InletError('empty_input', NO_LINE, 'text')
    return { numCharacters: writer.ids.characters }
  }

  line(bytes: Buffer, start: number, end: number): Steps<void> {
    return this.documents.write(bytes, start, end)
  }

  part(bytes: Buffer): Steps<void> {
    this.#text ??= this.documents.begin()
    return this.#text.write(bytes)
  }

  *endParts(): Steps<void> {
    yield* this.#text!.end()
    this.#text = undefined
    yield* waiting(this.writer.endDocument()) ?? []
  }
}

const NO_LINE = '`text` must have a line that is not empty. Given: empty lines only'

/** Bytes of the longest text that is tokenized at once as a string. */
const SHORT_TEXT_BYTES = 5400

/** How texts become ids. */
export interface TextSettings {
  readonly tokenizer: Tokenizer
  /** Special tokens whose literal in the text becomes their id. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether each text gets the tokens that the model expects around it. Default: false */
  readonly addSpecialTokens?: boolean | undefined
}

/** Makes documents of texts: short ones as strings, all others as streams. Bytes must be valid UTF-8. */
export class TextDocuments {
  readonly #tokenizer: Tokenizer
  readonly #options: StreamOptions

  constructor(
    { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
    private readonly documents: DocumentWriter,
  ) {
    this.#tokenizer = tokenizer
    this.#options = { allowedSpecial, addSpecialTokens }
  }

  /** Makes a document of the bytes `start … end`. */
  *write(utf8: Buffer, start: number, end: number): Steps<void> {
    yield this.documents.makeRoom(STEP_IDS)
    if (end - start > SHORT_TEXT_BYTES || !this.#encodeShort(utf8.toString('utf8', start, end))) {
      const writer = this.begin()
      yield* writer.write(utf8.subarray(start, end))
      yield* writer.end()
    }
    yield* waiting(this.documents.endDocument()) ?? []
  }

  /** Begins a document whose bytes come in parts; the caller ends it. */
  begin(): TextWriter {
    return new TextWriter(this.#tokenizer, this.#options, this.documents)
  }

  #encodeShort(text: string): boolean {
    return this.#tokenizer.encodeShort?.(text, this.#options, this.documents.ids) !== undefined
  }
}
