import { GrowingIds } from '../first-layer/tokens/growing-ids.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import type { StreamOptions, Tokenizer } from '../first-layer/tokens/tokenizer.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { Claim } from '../load/claim.js'
import { Reservation } from '../load/reservation.js'
import { Pace } from '../turn.js'
import type { TextPieces } from '../wire/given.js'
import { aboutText } from './about-text.js'
import { textIds } from './text-ids.js'

/** `Documents`, or a class that keeps more of each document. */
interface DocumentsKind<Kind extends Documents> {
  readonly DOCUMENT_BYTES: number
  new (ids: TokenBuffer): Kind
}

/**
 * The documents of a list of texts: all ids one after the other, made in short turns, their memory reserved.
 *
 * @param field of the list: an error about one text names `field.3`
 * @throws InletError what a tokenizer refuses a text with, and what claims throw
 */
export async function listDocuments<Kind extends Documents>(
  kind: DocumentsKind<Kind>,
  tokenizer: Tokenizer,
  texts: Iterable<TextPieces>,
  options: StreamOptions,
  claim: Claim,
  field: string,
): Promise<Kind> {
  const growing = new GrowingIds()
  const room = new Reservation(claim)
  const pace = new Pace(claim)
  const documents = new kind(growing.ids)
  try {
    for (const text of texts) {
      if (pace.isOver) await pace.nextTurn()
      const wait = room.reach(kind.DOCUMENT_BYTES * (documents.count + 1))
      if (wait !== undefined) await wait
      await textIds(tokenizer, text, options, claim, growing)
      documents.endDocument()
    }
  } catch (error) {
    throw aboutText(error, `${field}.${documents.count}`)
  }
  claim.give(growing.settle())
  room.settle(kind.DOCUMENT_BYTES * documents.count)
  return documents
}
