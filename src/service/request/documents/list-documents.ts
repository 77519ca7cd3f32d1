import { Reserved } from '../../../first-layer/memory.js'
import { PAUSE, type Steps } from '../../../first-layer/steps.js'
import { GrowingIds, type TokenBuffer } from '../../../first-layer/tokens/token-buffer.js'
import type { StreamOptions, Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import type { Text } from '../fields/given-field.js'
import { aboutText, textIds } from './token-documents.js'

/** `Documents`, or a class that keeps more of each document. */
interface DocumentsKind<Kind extends Documents> {
  readonly DOCUMENT_BYTES: number
  new (ids: TokenBuffer): Kind
}

/**
 * The documents of a list of texts: all ids one after the other, their memory reserved.
 *
 * @param field of the list: an error about one text names `field.3`
 * @throws InletError what a tokenizer refuses a text with
 */
export function* listDocuments<Kind extends Documents>(
  kind: DocumentsKind<Kind>,
  tokenizer: Tokenizer,
  texts: readonly Text[],
  options: StreamOptions,
  field: string,
): Steps<Kind> {
  const growing = new GrowingIds()
  const room = new Reserved()
  const documents = new kind(growing.ids)
  try {
    for (const text of texts) {
      yield PAUSE
      yield room.reach(kind.DOCUMENT_BYTES * (documents.count + 1))
      yield* textIds(tokenizer, text, options, growing)
      documents.endDocument()
    }
  } catch (error) {
    throw aboutText(error, `${field}.${documents.count}`)
  }
  yield -growing.settle()
  yield -room.settle(kind.DOCUMENT_BYTES * documents.count)
  return documents
}
