import { type ErrorCode, InletError, quoted, SHOWN } from '../errors.js'
import type { Documents } from '../first-layer/windows/documents.js'

/** The first rule that a value breaks. */
export interface Fault {
  /** Where, within the field: `[1, 0]`. */
  readonly path: readonly number[]
  readonly message: string
  readonly code?: ErrorCode
  /** The wrong value as messages show it; absent: the message shows it. */
  readonly given?: string
}

/** A text that need not be one string. */
export interface TextPieces {
  /** Bytes of its UTF-8, or a few more. */
  readonly length: number
  /** The whole text, for a short one. */
  toString(): string
  /** Its UTF-8, cut anywhere. A piece is valid until the next one is asked for. */
  pieces(): Iterable<Uint8Array>
}

/**
 * Documents as a request brings them: text or ids, one or several, in JSON, behind it, or as the body itself. A value of
 * another form stands here too, with its fault.
 */
export interface Given {
  readonly count: number
  /** Whether they came as a list, be it a list of one. */
  readonly isList: boolean
  /** Whether a tokenizer must make ids of them. */
  readonly isText: boolean
  readonly fault?: Fault | undefined
  readonly [SHOWN]: string
  /** Gives them to the method of `maker` for what they are. */
  makeDocuments<Made>(maker: DocumentMaker<Made>): Made
  /** Called when they have become ids: lets the body go. Returns its length in bytes, 0 where they do not lie in it. */
  letGo(): number
}

/** Several texts, or one. */
export interface GivenTexts extends Given, Iterable<TextPieces> {}

/** The ids of one document, or of several. */
export interface GivenIds extends Given {
  readonly documents: Documents
  /** The id at `place` among all ids, as given: {@link documents} may have a larger one as the largest int32. */
  at(place: number): number
  /** Ids of all documents. */
  readonly length: number
  /** The path within the field of the id at `place` among all ids: `3`, or `0.3` in a list of lists. */
  pathOf(place: number): string
  /** The same ids as `rows` lists of equal length. There must be ids for all of them. */
  inRows(rows: number): GivenIds
}

/** Makes documents of each thing that a request can bring. */
export interface DocumentMaker<Made> {
  ofTexts(texts: GivenTexts): Made
  ofIds(ids: GivenIds): Made
  /** @param chunks of one text in UTF-8, cut anywhere */
  ofChunks(chunks: AsyncIterable<Uint8Array>): Made
}

/** One text whose bytes still come: nothing of it is read before its documents are made. */
export class GivenChunks implements Given {
  readonly count = 1
  readonly isList = false
  readonly isText = true
  readonly [SHOWN] = 'a text'

  constructor(private readonly chunks: AsyncIterable<Uint8Array>) {}

  makeDocuments<Made>(maker: DocumentMaker<Made>): Made {
    return maker.ofChunks(this.chunks)
  }

  letGo(): number {
    return 0
  }
}

/** A fault as the error that the caller gets. @param field of the value */
export function faultError({ path, message, code, given }: Fault, field: string): InletError {
  const param = [field, ...path].join('.')
  const end = given === undefined ? '' : ` Given: ${given}`
  return new InletError(code ?? 'invalid_request', `${quoted(param)} ${message}.${end}`, param)
}
