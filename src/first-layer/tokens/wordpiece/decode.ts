import type { Ids } from '../token-buffer.js'
import type { DecodedText } from '../tokenizer.js'
import { stringOf } from '../vocabulary.js'
import type { WordPieceDecoder, WordPieceSpec } from './words.js'

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

/** Turns ids into text: `dog`, `##s` → `dogs`. */
export class WordPieceText {
  /** The text of each token behind the first one, made at its first use. */
  readonly #pieces = new Map<number, string>()

  constructor(private readonly spec: Pick<WordPieceSpec, 'strings' | 'decoder'>) {}

  /** @param ids all are tokens of the vocabulary */
  of(ids: Ids): DecodedText {
    return { lossy: false, parts: () => this.#parts(ids) }
  }

  *#parts(ids: Ids): Generator<string, void, void> {
    for (let at = 0; at < ids.length; ) {
      let part = ''
      for (const end = Math.min(at + PART_IDS, ids.length); at < end && part.length < PART_UNITS; at++) {
        const id = ids.at(at) as number
        part += at === 0 ? this.#decoded(id, true) : this.#piece(id)
      }
      yield part
    }
  }

  #piece(id: number): string {
    let piece = this.#pieces.get(id)
    if (piece === undefined) {
      piece = this.#decoded(id, false)
      this.#pieces.set(id, piece)
    }
    return piece
  }

  #decoded(id: number, isFirst: boolean): string {
    return decodePiece(stringOf(this.spec.strings, id) as string, isFirst, this.spec.decoder)
  }
}

/** The text of one token: `##ing` → `ing`, `dog` → ` dog`, at the start `dog`. */
function decodePiece(token: string, isFirst: boolean, decoder: WordPieceDecoder | undefined): string {
  if (decoder === undefined) return isFirst ? token : ` ${token}`
  let text = token
  if (!isFirst) text = token.startsWith(decoder.prefix) ? token.slice(decoder.prefix.length) : ` ${token}`
  if (decoder.cleanup) for (const [from, to] of CLEANUP) text = text.replaceAll(from, to)
  return text
}
