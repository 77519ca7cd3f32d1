import { InletError } from '../errors.js'
import type { Stop } from '../running/wait.js'
import type { AddedToken, DocumentMarks } from './added-tokens.js'
import type { EncodingName } from './encodings.js'
import type { Ids, TokenBuffer } from './token-buffer.js'
import type { TokenStrings, Vocabulary } from './vocabulary.js'

/** Tokens and facts beside a text's ordinary tokens. */
export interface StreamOptions {
  /** Literals of `specialTokens` that become their ids; any other special token's literal is ordinary text. */
  readonly allowedSpecial: ReadonlySet<string>
  /** Whether the document gets the tokens that the model expects around it: `[CLS]` … `[SEP]`, `<s>` …. */
  readonly addSpecialTokens?: boolean
  /** Whether `TokenBuffer.ranges` is filled where the lengths of the tokens do not tell where they stand. */
  readonly ranges?: boolean
}

/** `all`: of every token; `all_but_first`: one blank at a text's beginning stays. */
export type Trims = 'all' | 'all_but_first'

/** Turns text into ids, and ids into text: byte-level BPE, WordPiece, or the Rust library. */
export interface Tokenizer {
  /** The wire value if the tokenizer is one of the five encodings; undefined for a model folder's. */
  readonly encoding: EncodingName | undefined
  /** Highest id + 1; some ids below it may be holes. */
  readonly vocabSize: number
  /** Literal → id, as `<|endoftext|>` → 50256. */
  readonly specialTokens: ReadonlyMap<string, number>
  /** All added tokens, special or not; absent: the special ones. */
  readonly addedTokens?: readonly AddedToken[]
  /** Whether the Rust library would trim blanks from the ranges of tokens, which the streams here leave there. */
  readonly trims?: Trims | undefined
  /** The separator of documents; undefined: there is none. */
  readonly endOfText: number | undefined
  /** The ids that may stand at a document's ends; absent: none is known. */
  readonly marks?: DocumentMarks | undefined
  /**
   * Whether the bytes of a text's ids, one after the other, are the text: where each token stands follows then from
   * the tokens' lengths, unless special tokens are added around the text.
   */
  readonly isLossless: boolean
  /** Bytes of the longest text, for a tokenizer that must hold it as a whole. */
  readonly maxTextBytes?: number
  /** The bytes of every token; undefined if tokens do not stand for fixed bytes, as WordPiece's `##ing`. */
  readonly vocabulary: Vocabulary | undefined
  /** The tokens as their file writes them, of a tokenizer without `vocabulary`. */
  readonly strings?: TokenStrings
  /** Why there is no tokenizer: every text is refused then. */
  readonly unavailable?: string
  /** Starts a new document. @throws RangeError for a literal that is not in `specialTokens` */
  stream(options: StreamOptions): TokenStream
  /**
   * Adds the ids of a text of a few thousand characters, at once and without the cost of a stream. False, with nothing added,
   * if the text takes longer than one `advance`, or needs a result that only a stream gives: then, and if this method is
   * absent, the caller uses a stream.
   */
  encodeShort?(text: string, options: StreamOptions, ids: TokenBuffer): boolean
  /**
   * A token's text: of a tokenizer with `vocabulary` its characters, null where it is not whole UTF-8; of any other
   * that of its bytes where the file writes them in another way (`▁the`), else the token itself, `##ing`. Undefined for a hole, or an id out of range.
   */
  tokenText(id: number): string | null | undefined
  /**
   * The text of ids, for a tokenizer without `vocabulary`.
   *
   * @param ids all have a `tokenText`; they stay as they are until the text has been read
   */
  decode?(ids: Ids, stop?: Stop): DecodedText | Promise<DecodedText>
  /**
   * Memory that `decode` takes where it must hold the text as a whole.
   *
   * @param ids how many
   * @param bytes of their strings in all
   * @throws InletError `body_too_large` for more than the tokenizer can take
   */
  decodeBytes?(ids: number, bytes: number): number
}

/** A tokenizer whose tokens have bytes. */
export interface ByteTokenizer extends Tokenizer {
  readonly vocabulary: Vocabulary
}

/** A tokenizer's name for messages. */
export function nameOf({ encoding }: Tokenizer): string {
  return encoding ?? 'the model’s tokenizer'
}

/**
 * One document on its way from UTF-8 to ids: `write` its bytes in any cut, `end`, and call `advance` until
 * it has no more to do. Bytes must be valid UTF-8; that is checked elsewhere.
 */
export interface TokenStream {
  /** Bytes that were written and wait for what follows them; absent where they are few. */
  readonly heldBytes?: number
  /** Takes bytes, cut anywhere, even within a character. They stay as they are until `advance` returns false. */
  write(utf8: Uint8Array): void
  /** No more bytes follow. A promise where another process does the work: nothing comes before it has settled. */
  end(stop?: Stop): Promise<void> | undefined
  /**
   * Does a bounded amount of work, about a millisecond, and appends at most 16,384 ids; true while more can be done now.
   * Counts the characters that it has worked on in `ids.characters`.
   */
  advance(ids: TokenBuffer): boolean
}

/** The text of ids, in parts, so that callers need not hold all of it. */
export interface DecodedText {
  /** Whether bytes that are not UTF-8 were replaced by U+FFFD. */
  readonly lossy: boolean
  /** The text from its start, in parts of whole code points, each a fraction of a millisecond of work. */
  parts(): Iterable<string>
}

/** The tokenizer of a model without one: every text is refused, ids are served. */
export function absentTokenizer(reason: string): Tokenizer {
  const refuse = (): never => {
    const message = `The model takes \`input_ids\` only, no text: ${reason}`
    throw new InletError('tokenizer_unavailable', message, 'model')
  }
  return {
    encoding: undefined,
    unavailable: reason,
    vocabSize: 0,
    specialTokens: new Map(),
    endOfText: undefined,
    isLossless: false,
    vocabulary: undefined,
    get strings() {
      return refuse()
    },
    stream: refuse,
    tokenText: refuse,
    decode: refuse,
  }
}
