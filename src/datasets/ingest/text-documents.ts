import type { Steps } from '../../first-layer/steps.js'
import type { ShortTexts } from '../../first-layer/tokens/short-texts.js'
import { TextWriter } from '../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { type DocumentWriter, waiting } from './document-writer.js'

/** Bytes of the longest text that is tokenized at once. */
export const SHORT_TEXT_BYTES = 5400

/** How texts become ids. */
export interface TextSettings {
  readonly tokenizer: Tokenizer
  /** Special tokens whose literal in the text becomes their id. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether each text gets the tokens that the model expects around it. Default: false */
  readonly addSpecialTokens?: boolean | undefined
}

/** Makes documents of texts: short ones at once, all others as streams. Bytes must be valid UTF-8. */
export class TextDocuments {
  readonly #tokenizer: Tokenizer
  readonly #options: StreamOptions
  readonly #short: ShortTexts | undefined

  constructor(
    { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
    private readonly documents: DocumentWriter,
  ) {
    this.#tokenizer = tokenizer
    this.#options = { allowedSpecial, addSpecialTokens }
    this.#short = addSpecialTokens ? undefined : tokenizer.shortTexts?.(allowedSpecial)
  }

  /** Names the memory of the next texts, which stays as it is until they are written. */
  lieIn(utf8: Buffer): void {
    this.#short?.lieIn(utf8)
  }

  /** Makes a document of the bytes `start … end` of the memory named last. */
  write(utf8: Buffer, start: number, end: number): Steps<void> | undefined {
    if (end - start <= SHORT_TEXT_BYTES && this.#encode(utf8, start, end))
      return waiting(this.documents.endDocument())
    return this.writePieces([utf8.subarray(start, end)])
  }

  /** Begins a document whose bytes come in parts. The caller ends it. */
  begin(): TextWriter {
    return new TextWriter(this.#tokenizer, this.#options, this.documents)
  }

  /** Makes a document of UTF-8 in pieces; each is valid until the next one is asked for. */
  *writePieces(pieces: Iterable<Uint8Array>): Steps<void> {
    const writer = this.begin()
    for (const piece of pieces) yield* writer.write(piece)
    yield* writer.end()
    yield* waiting(this.documents.endDocument()) ?? []
  }

  #encode(utf8: Buffer, start: number, end: number): boolean {
    const { ids } = this.documents
    if (this.#short !== undefined) return this.#short.encode(start, end, ids)
    if (this.#tokenizer.encodeShort === undefined) return false
    const text = utf8.toString('utf8', start, end)
    return this.#tokenizer.encodeShort(text, this.#options, ids) !== undefined
  }
}
