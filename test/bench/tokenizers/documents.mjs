import { corpus } from './corpora.mjs'

/** UTF-16 units of a document at most; of a short corpus they are shorter, so that each round has some. */
const DOCUMENT = 100_000
const ROUND_DOCUMENTS = 2
/** The last third of a corpus warms up: what is measured was not seen. */
const MEASURED_SHARE = 2 / 3

/** Whether a corpus has a document to warm up with. */
export function hasTexts(name) {
  return corpus(name).length * (1 - MEASURED_SHARE) >= DOCUMENT / 2
}

/** Documents of a corpus: some to warm up with, and for each round others, none of them twice. */
export function unseenTexts(name, rounds) {
  const text = corpus(name)
  const border = Math.floor(text.length * MEASURED_SHARE)
  const size = Math.min(DOCUMENT, Math.floor(border / rounds / ROUND_DOCUMENTS))
  const documents = cut(text.slice(0, border), size)
  const share = Math.floor(documents.length / rounds)
  // Documents of a round lie far apart, so that all rounds are of the same kind of text.
  const unseen = Array.from({ length: rounds }, (_, round) =>
    Array.from({ length: share }, (_, i) => documents[i * rounds + round]),
  )
  return { warm: cut(text.slice(border), size), unseen }
}

/**
 * Whole characters, no whitespace at either end, for the patterns differ in whitespace that ends a text, and no literals
 * of special tokens, which some libraries always take as those.
 */
function cut(text, size) {
  const parts = []
  for (let start = 0; start < text.length; start += size) {
    parts.push(
      text
        .slice(start, start + size)
        .toWellFormed()
        .replaceAll(/\ufffd|<\|\w+\|>/g, '')
        .trim(),
    )
  }
  return parts.filter((part) => part.length > 0)
}
