// The pair of each token: the two tokens that merge to it. Ids follow the order of formation, so a token's pair consists
// of tokens with lower ids, whose pairs are known.
import { MAX_PIECE } from './piece-key'
import { addToken } from './piece-table'
import { addPair, byteId, halves, mergedId, NONE } from './tables'
import { startOf } from './vocabulary'

/**
 * Finds the pairs of the tokens `from … end`, and adds the short ones to the piece table. `scratch` has room for a
 * uint32 per byte of the longest token. Returns NONE, or the first token that has no pair.
 */
export function pairAll(from: u32, end: u32, scratch: usize): u32 {
  for (let id = from; id < end; id++) {
    const length = startOf(id + 1) - startOf(id)
    if (length > 1 && !split(id, length, scratch)) return id
    if (length !== 0 && length <= MAX_PIECE) addToken(id, startOf(id), length)
  }
  return NONE
}

/**
 * Finds the one pair that becomes token `id`: merging the token's bytes with only the tokens before it must leave
 * exactly two tokens. If it does, the token can be formed, and ids follow the order of formation.
 */
function split(id: u32, length: usize, symbols: usize): bool {
  let count = <u32>length
  for (let i: u32 = 0; i < count; i++) store<u32>(symbols + (i << 2), byteId(load<u8>(startOf(id) + i)))
  while (count > 2) {
    let best = NONE
    let place: u32 = 0
    for (let i: u32 = 0; i + 1 < count; i++) {
      const merged = mergedId(load<u32>(symbols + (i << 2)), load<u32>(symbols + (i << 2) + 4))
      if (merged >= best) continue
      best = merged
      place = i
    }
    if (best === NONE) return false
    store<u32>(symbols + (place << 2), best)
    count--
    memory.copy(symbols + ((place + 1) << 2), symbols + ((place + 2) << 2), (count - place - 1) << 2)
  }
  const left = load<u32>(symbols)
  const right = load<u32>(symbols + 4)
  if (mergedId(left, right) !== NONE) return false
  addPair(left, right, id)
  store<u32>(halves + ((<usize>id) << 3), left)
  store<u32>(halves + ((<usize>id) << 3) + 4, right)
  return true
}
