import { PAUSE, type Steps } from '../../first-layer/steps.js'
import { BATCH_BYTES, BATCH_TEXTS, type ShortTexts } from '../../first-layer/tokens/short-texts.js'
import { STEP_IDS, TextWriter } from '../../first-layer/tokens/tokenize.js'
import type { StreamOptions, Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { type DocumentWriter, waiting } from './document-writer.js'

/** Bytes of the longest text that is tokenized at once as a string. */
export const SHORT_TEXT_BYTES = 5400
/** Bytes from the first text of a batch to its last: between them may lie what is no text. */
const BATCH_SPAN = 1 << 16

/** Memory of the places of a batch. */
export const TEXT_DOCUMENTS_BYTES = 8 * BATCH_TEXTS

/** How texts become ids. */
export interface TextSettings {
  readonly tokenizer: Tokenizer
  /** Special tokens whose literal in the text becomes their id. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether each text gets the tokens that the model expects around it. Default: false */
  readonly addSpecialTokens?: boolean | undefined
}

/** Makes documents of texts: short ones many at once, all others as streams. Bytes must be valid UTF-8. */
export class TextDocuments {
  readonly #tokenizer: Tokenizer
  readonly #options: StreamOptions
  readonly #short: ShortTexts | undefined
  /** Where the texts of the batch lie in `#utf8`: start and end of each. */
  readonly #bounds: Int32Array
  #utf8: Buffer = NO_BYTES
  #count = 0
  #bytes = 0

  constructor(
    { tokenizer, allowedSpecial, addSpecialTokens = false }: TextSettings,
    private readonly documents: DocumentWriter,
  ) {
    this.#tokenizer = tokenizer
    this.#options = { allowedSpecial, addSpecialTokens }
    this.#short = addSpecialTokens ? undefined : tokenizer.shortTexts?.(allowedSpecial)
    this.#bounds = new Int32Array(this.#short === undefined ? 0 : 2 * BATCH_TEXTS)
  }

  /**
   * Makes a document of the bytes `start … end`, now or with those that follow in the same memory: they stay as they are
   * until {@link flush} is done.
   */
  write(utf8: Buffer, start: number, end: number): Steps<void> | undefined {
    return this.#add(utf8, start, end) ? undefined : this.#writeBehind(utf8, start, end)
  }

  /** Makes documents of all texts so far. Before the next ones their memory may change. */
  flush(): Steps<void> | undefined {
    return this.#count === 0 ? undefined : this.#encodeBatch(this.#short!)
  }

  /** Begins a document whose bytes come in parts. The caller ends it, and has flushed before. */
  begin(): TextWriter {
    return new TextWriter(this.#tokenizer, this.#options, this.documents)
  }

  /** Makes a document of UTF-8 in pieces; each is valid until the next one is asked for. */
  *writePieces(pieces: Iterable<Uint8Array>): Steps<void> {
    yield* this.flush() ?? []
    yield* this.#stream(pieces)
  }

  /** Adds a text to the batch; false where it has no place there. */
  #add(utf8: Buffer, start: number, end: number): boolean {
    const length = end - start
    if (this.#short === undefined || length > BATCH_BYTES) return false
    if (this.#count === 0) {
      this.#utf8 = utf8
      this.#bytes = 0
    } else if (
      this.#utf8 !== utf8 ||
      start < this.#bounds[2 * this.#count - 1]! ||
      this.#count === BATCH_TEXTS ||
      this.#bytes + length > BATCH_BYTES ||
      end - this.#bounds[0]! > BATCH_SPAN
    )
      return false
    this.#bounds[2 * this.#count] = start
    this.#bounds[2 * this.#count + 1] = end
    this.#bytes += length
    this.#count++
    return true
  }

  *#writeBehind(utf8: Buffer, start: number, end: number): Steps<void> {
    yield* this.flush() ?? []
    if (this.#add(utf8, start, end)) return
    if (this.#short === undefined && end - start <= SHORT_TEXT_BYTES) {
      yield* this.#makeRoom(STEP_IDS, 1)
      if (this.#encodeString(utf8.toString('utf8', start, end)))
        return yield* waiting(this.documents.endDocument()) ?? []
    }
    yield* this.#stream([utf8.subarray(start, end)])
  }

  *#encodeBatch(short: ShortTexts): Steps<void> {
    const count = this.#count
    const utf8 = this.#utf8
    for (let text = 0; text < count; ) {
      yield PAUSE
      yield* this.#makeRoom(this.#bytes + count, count)
      const done = short.encode(utf8, this.#bounds, text, count, this.documents)
      text += done
      if (done > 0) continue
      yield* this.#stream([utf8.subarray(this.#bounds[2 * text]!, this.#bounds[2 * text + 1]!)])
      text++
    }
    this.#count = 0
    this.#utf8 = NO_BYTES
  }

  *#stream(pieces: Iterable<Uint8Array>): Steps<void> {
    const writer = this.begin()
    for (const piece of pieces) yield* writer.write(piece)
    yield* writer.end()
    yield* waiting(this.documents.endDocument()) ?? []
  }

  *#makeRoom(ids: number, documents: number): Steps<void> {
    const wait = this.documents.makeRoom(ids, documents)
    if (wait !== 0) yield wait
  }

  #encodeString(text: string): boolean {
    return this.#tokenizer.encodeShort?.(text, this.#options, this.documents.ids) !== undefined
  }
}

const NO_BYTES = Buffer.alloc(0)
