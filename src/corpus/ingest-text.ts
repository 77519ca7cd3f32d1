import { InletError } from '../first-layer/errors.js'
import { STEP_IDS, TextWriter, utf8Slices } from '../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkedText } from '../first-layer/tokens/unicode/utf8.js'
import {
  type DocumentFrame,
  type DocumentSink,
  DocumentWriter,
  type Done,
  type Pace,
} from './document-writer.js'
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
  pace?: Pace,
): Promise<IngestFacts> {
  const text = new CutText(upload, new DocumentWriter(sink, upload, pace))
  return ingest(checkedText(chunks), upload.documents === 'one' ? text.whole() : new Lines(text, noLine))
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

  constructor(
    { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
    readonly writer: DocumentWriter,
  ) {
    this.#tokenizer = tokenizer
    this.#options = { allowedSpecial, addSpecialTokens }
  }

  write(utf8: Buffer, start: number, end: number): Done {
    const wait = this.writer.makeRoom(STEP_IDS)
    if (wait !== undefined) return wait.then(() => this.write(utf8, start, end))
    const isDone = end - start <= SHORT_TEXT_BYTES && this.#encodeShort(utf8.toString('utf8', start, end))
    return isDone ? this.writer.endDocument() : this.#writeLong(utf8.subarray(start, end))
  }

  async #writeLong(utf8: Uint8Array): Promise<void> {
    const text = this.begin()
    for (const slice of utf8Slices([utf8])) await this.writePart(text, slice)
    await this.endText(text)
  }

  /** Begins a document whose bytes arrive in parts; the caller ends it. */
  protected begin(): TextWriter {
    return new TextWriter(this.#tokenizer, this.#options, this.writer.ids)
  }

  /** @param utf8 at most 64 KiB */
  protected async writePart(text: TextWriter, utf8: Uint8Array): Promise<void> {
    text.write(utf8)
    await this.#drain(text)
  }

  protected async endText(text: TextWriter): Promise<void> {
    await text.end()
    await this.#drain(text)
    await this.writer.endDocument()
  }

  async #drain(text: TextWriter): Promise<void> {
    do {
      const wait = this.writer.pause(text.bytes)
      if (wait !== undefined) await wait
      const room = this.writer.makeRoom(STEP_IDS)
      if (room !== undefined) await room
    } while (text.advance())
  }

  #encodeShort(text: string): boolean {
    return this.#tokenizer.encodeShort?.(text, this.#options, this.writer.ids) ?? false
  }
}

/** A text in several parts, as one document or as lines. */
class CutText extends TextDocuments implements LineTaker {
  #text: TextWriter | undefined

  whole(): Intake {
    const { writer } = this
    return { writer, write: (bytes) => this.part(bytes), end: () => this.endParts() }
  }

  line(bytes: Buffer, start: number, end: number): Done {
    return this.write(bytes, start, end)
  }

  part(bytes: Buffer): Promise<void> {
    this.#text ??= this.begin()
    return this.writePart(this.#text, bytes)
  }

  async endParts(): Promise<void> {
    const text = this.#text!
    this.#text = undefined
    await this.endText(text)
  }
}
