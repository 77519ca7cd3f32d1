import { InletError } from '../first-layer/errors.js'
import { Reserved } from '../first-layer/memory.js'
import type { Claim } from '../first-layer/running/drive.js'
import type { Steps } from '../first-layer/steps.js'
import { STEP_IDS, TextWriter, utf8Slices } from '../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkedText } from '../first-layer/tokens/unicode/utf8.js'
import { type DocumentFrame, type DocumentSink, DocumentWriter, WRITER_BYTES } from './document-writer.js'
import { type IngestFacts, type Intake, ingest, Lines, type LineTaker } from './ingest.js'

export interface TextUpload extends TextSettings, DocumentFrame {
  /** Whether the whole text is a document, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
}

/**
 * Documents of plain text: the whole of it, or its lines. Each document is tokenized as if it were alone; lines have no
 * `\n` or `\r\n`, and empty lines are none. `a\n\nb` → `a`, `b`. Memory does not depend on the length of the text.
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
  const text = new CutText(upload, new DocumentWriter(sink, upload))
  return ingest(
    checkedText(chunks),
    upload.documents === 'one' ? text.whole() : new Lines(text, noLine),
    claim,
  )
}

function noLine(): InletError {
  return new InletError(
    'empty_input',
    '`text` must have a line that is not empty. Given: empty lines only',
    'text',
  )
}

/** Bytes of the longest text that is tokenized at once as a string. */
const SHORT_TEXT_BYTES = 5400

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
  readonly #held = new Reserved()

  constructor(
    { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
    readonly writer: DocumentWriter,
  ) {
    this.#tokenizer = tokenizer
    this.#options = { allowedSpecial, addSpecialTokens }
  }

  *write(utf8: Buffer, start: number, end: number): Steps<void> {
    yield this.writer.makeRoom(STEP_IDS)
    if (end - start > SHORT_TEXT_BYTES || !this.#encodeShort(utf8.toString('utf8', start, end))) {
      const text = this.begin()
      yield* this.writePart(text, utf8.subarray(start, end))
      yield* this.endText(text)
    }
    yield this.writer.endDocument()
  }

  /** Begins a document whose bytes arrive in parts; the caller ends it. */
  protected begin(): TextWriter {
    return new TextWriter(this.#tokenizer, this.#options, this.writer.ids)
  }

  protected *writePart(text: TextWriter, utf8: Uint8Array): Steps<void> {
    for (const slice of utf8Slices([utf8])) {
      text.write(slice)
      yield* this.#drain(text)
    }
  }

  protected *endText(text: TextWriter): Steps<void> {
    const elsewhere = text.end()
    if (elsewhere !== undefined) yield elsewhere
    yield* this.#drain(text)
    yield -this.#held.settle(0)
  }

  *#drain(text: TextWriter): Steps<void> {
    do {
      const more = this.#held.reach(text.bytes)
      if (more > 0) yield more
      yield this.writer.makeRoom(STEP_IDS)
    } while (text.advance())
  }

  #encodeShort(text: string): boolean {
    return this.#tokenizer.encodeShort?.(text, this.#options, this.writer.ids) !== undefined
  }
}

/** A text in several parts, as one document or as lines. */
class CutText extends TextDocuments implements LineTaker {
  readonly heldBytes = WRITER_BYTES
  #text: TextWriter | undefined

  whole(): Intake {
    const { heldBytes, writer } = this
    return { heldBytes, writer, write: (bytes) => this.part(bytes), end: () => this.endParts() }
  }

  line(bytes: Buffer, start: number, end: number): Steps<void> {
    return this.write(bytes, start, end)
  }

  part(bytes: Buffer): Steps<void> {
    this.#text ??= this.begin()
    return this.writePart(this.#text, bytes)
  }

  *endParts(): Steps<void> {
    yield* this.endText(this.#text!)
    this.#text = undefined
    yield this.writer.endDocument()
  }
}
