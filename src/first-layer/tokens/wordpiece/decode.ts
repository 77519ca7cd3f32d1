import type { Ids } from '../token-buffer.js'
import type { DecodedText } from '../tokenizer.js'
import { stringOf, type TokenStrings } from '../vocabulary.js'

/** The rules for turning ids into text: a blank goes before each piece that does not begin with `prefix`. */
export interface WordPieceDecoder {
  readonly prefix: string
  /** Removes the blank before punctuation and in English contractions. */
  readonly cleanup: boolean
}

/** Limits of one part of a text: it ends at so many ids, or with the token that reaches so many UTF-16 units. */
const PART_IDS = 1024
const PART_UNITS = 1 << 14

/** The replacements of `cleanup` in each token, in this order. */
const CLEANUP = [
  [' .', '.'],
  [' ?', '?'],
  [' !', '!'],
  [' ,', ','],
  [" ' ", "'"],
  [" n't", "n't"],
  [" 'm", "'m"],
  [' do not', " don't"],
  [" 's", "'s"],
  [" 've", "'ve"],
  [" 're", "'re"],
] as const

/**
 * Turns ids, all tokens of the vocabulary, into text: `dog`, `##s` → `dogs`.
 *
 * @param decoder undefined: a blank goes before every piece but the first
 */
export function wordPieceText(
  strings: TokenStrings,
  decoder: WordPieceDecoder | undefined,
): (ids: Ids) => DecodedText {
  /** The text of each token behind the first one, made at its first use. */
  const pieces = new Map<number, string>()
  const pieceOf = (id: number): string => {
    const piece = pieces.get(id) ?? decoded(stringOf(strings, id)!, false, decoder)
    pieces.set(id, piece)
    return piece
  }
  function* parts(ids: Ids): Generator<string, void, void> {
    for (let at = 0; at < ids.length; ) {
      let part = ''
      for (const end = Math.min(at + PART_IDS, ids.length); at < end && part.length < PART_UNITS; at++) {
        const id = ids.at(at)!
        part += at === 0 ? decoded(stringOf(strings, id)!, true, decoder) : pieceOf(id)
      }
      yield part
    }
  }
  return (ids) => ({ lossy: false, parts: () => parts(ids) })
}

/** The text of one token: `##ing` → `ing`, `dog` → ` dog`, at the start `dog`. */
function decoded(token: string, isFirst: boolean, decoder: WordPieceDecoder | undefined): string {
  if (decoder === undefined) return isFirst ? token : ` ${token}`
  let text = token
  if (!isFirst) text = token.startsWith(decoder.prefix) ? token.slice(decoder.prefix.length) : ` ${token}`
  if (decoder.cleanup) for (const [from, to] of CLEANUP) text = text.replaceAll(from, to)
  return text
}
