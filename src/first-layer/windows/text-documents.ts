import { Documents } from './documents.js'
import { Offsets } from './offsets.js'

/**
 * Documents whose ids were made of texts, with the characters of each text: for a list of texts whose answer counts
 * both. A document costs 16 bytes beside its ids.
 */
export class TextDocuments extends Documents {
  static override readonly DOCUMENT_BYTES = 16
  readonly #characterEnds = new Offsets()

  override endDocument(end?: number): void {
    super.endDocument(end)
    this.#characterEnds.push(this.ids.characters)
  }

  /** Characters (code points) of text `d`. */
  characters(d: number): number {
    return this.#characterEnds.at(d) - (d === 0 ? 0 : this.#characterEnds.at(d - 1))
  }
}
