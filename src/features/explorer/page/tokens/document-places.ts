import type { TokenDocument } from '../answer/answer.js'
import { type Places, placesOf, tokenText } from './places.js'

const known = new WeakMap<TokenDocument, Places>()

/** Where a document's tokens begin; reckoned once for each answer. */
export function placesIn(document: TokenDocument): Places {
  let places = known.get(document)
  if (places === undefined) {
    places = placesOf(document.text, document.starts)
    known.set(document, places)
  }
  return places
}

/** The text of a document's token. */
export function textOf(document: TokenDocument, token: number): string {
  return tokenText(document.text, placesIn(document), document.starts, token)
}
