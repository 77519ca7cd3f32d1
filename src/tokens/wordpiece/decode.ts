import type { WordPieceDecoder } from './wordpiece-spec.js'

/** What `cleanup` replaces in each token, in this order. */
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

/** The text of one token: `##ing` → `ing`, `dog` → ` dog`, at the start `dog`. */
export function decodePiece(token: string, isFirst: boolean, decoder: WordPieceDecoder | undefined): string {
  if (decoder === undefined) return isFirst ? token : ` ${token}`
  let text = token
  if (!isFirst) text = token.startsWith(decoder.prefix) ? token.slice(decoder.prefix.length) : ` ${token}`
  if (decoder.cleanup) for (const [from, to] of CLEANUP) text = text.replaceAll(from, to)
  return text
}
