import type { Steps } from '../../../first-layer/steps.js'
import { STEP_IDS, TextWriter } from '../../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import { type DocumentWriter, waiting } from './document-writer.js'

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
