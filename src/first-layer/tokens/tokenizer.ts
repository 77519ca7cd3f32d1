import type { Steps } from '../steps.js'
import type { DecodedText } from './decoded-text.js'
import type { EncodingName } from './encodings.js'
import type { Ids } from './ids.js'
import type { TokenBuffer } from './token-buffer.js'
import type { TokenStream } from './token-stream.js'
import type { TokenStrings } from './token-strings.js'
import type { Vocabulary } from './vocabulary.js'

/** Tokens and facts beside a text's ordinary tokens. */
export interface StreamOptions {
  /** Literals of `specialTokens` that become their ids; any other special token's literal is ordinary text. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether the document gets the tokens that the model expects around it: `[CLS]` … `[SEP]`, `<s>` …. */
  readonly addSpecialTokens?: boolean
  /** Whether `TokenBuffer.ranges` is filled where the lengths of the tokens do not tell where they stand. */
  readonly ranges?: boolean
}

/** Turns text into ids, and ids into text: byte-level BPE, WordPiece, or the Rust library. */
export interface Tokenizer {
  /** The wire value, where the tokenizer is one of the five encodings; undefined for a model folder's. */
  readonly encoding: EncodingName | undefined
  /** Highest id + 1; some ids below it may be holes. */
  readonly vocabSize: number
  /** Literal → id, as `<|endoftext|>` → 50256. */
  readonly specialTokens: ReadonlyMap<string, number>
  /** The separator of documents; undefined: there is none. */
  readonly endOfText: number | undefined
  /**
   * Whether the bytes of a text's ids, one after the other, are the text: where each token stands follows then from
   * the tokens' lengths, unless special tokens are added around the text.
   */
  readonly isLossless: boolean
  /** Bytes of the longest text, for a tokenizer that must hold it as a whole. */
  readonly maxTextBytes?: number
  /** The bytes of every token; undefined where tokens have none of their own, as WordPiece's `##ing`. */
  readonly vocabulary: Vocabulary | undefined
  /** The tokens as their file writes them, of a tokenizer without `vocabulary`. */
  readonly strings?: TokenStrings
  /** Why there is no tokenizer: every text is refused then. */
  readonly unavailable?: string
  /** Starts a new document. @throws RangeError for a literal that is not in `specialTokens` */
  stream(options: StreamOptions): TokenStream
  /**
   * The ids of a text of a few thousand characters, at once and without the cost of a stream. Adds them to `ids`, if
   * given. Undefined if the text takes longer than one `advance`, or needs a result that only a stream gives: then, and if
   * this method is absent, the caller uses a stream.
   */
  encodeShort?(text: string, options: StreamOptions, ids?: TokenBuffer): TokenBuffer | undefined
  /**
   * A token's text: of a tokenizer with `vocabulary` its characters, null where it is not whole UTF-8; of any other
   * the token as its file writes it, `##ing` or `▁the`. Undefined for a hole, or an id out of range.
   */
  tokenText(id: number): string | null | undefined
  /**
   * The text of ids, for a tokenizer without `vocabulary`.
   *
   * @param ids all have a `tokenText`; they stay as they are until the text has been read
   * @param bytes of their strings in all
   * @throws InletError `body_too_large` for more than a tokenizer can take that must hold them as a whole
   */
  decode?(ids: Ids, bytes: number): DecodedText | Steps<DecodedText>
}

/** A tokenizer whose tokens have bytes. */
export interface ByteTokenizer extends Tokenizer {
  readonly vocabulary: Vocabulary
}

/** A tokenizer's name for messages. */
export function nameOf({ encoding }: Tokenizer): string {
  return encoding ?? 'the model’s tokenizer'
}
