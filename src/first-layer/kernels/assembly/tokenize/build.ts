// Builds the tables of the tokens that vocabulary.ts holds, a bounded number of steps in each call, so that the host
// can do other work in between. Only this file changes the state: the phase, and the next number in it.
//
//     phase   | goes through       | fills
//     MEASURE | ids                | lengths, tokens of one byte (token-order.ts)
//     SORT    | ids                | list of the tokens by length (token-order.ts)
//     TRIE    | places in the list | trie (token-trie.ts)
//     PAIRS   | ids                | pairs that merge, piece table (token-pairs.ts)
//     BUILT
//
// Between two calls, and if no token has broken a rule, the phases above `phase` are complete, `phase` is complete for
// all numbers below `next`, and the phases below have not begun.

import { reservePieces } from './piece-table'
import { NONE, reserveTables } from './tables'
import { beginMeasure, beginSort, measure, sort } from './token-order'
import { pairAll } from './token-pairs'
import { beginTrie, insertAll } from './token-trie'
import { DONE, MORE, nameTokens, size } from './vocabulary'

const MEASURE: i32 = 0
const SORT: i32 = 1
const TRIE: i32 = 2
const PAIRS: i32 = 3
const BUILT: i32 = 4

let phase: i32 = MEASURE
let next: u32 = 0
/** Room for a uint32 per token and a thousand more. */
let scratch: usize = 0

/**
 * Begins to build the tables. `room` has room for a uint32 per token and a thousand more; `ids` is the address of the
 * host's id for each token; the seeds are the key of the piece table's hash; the host adds `whole` more tokens with
 * `addWhole` at the end.
 */
export function beginTables(room: usize, ids: usize, seedLow: u64, seedHigh: u64, whole: u32): void {
  scratch = room
  nameTokens(ids)
  beginMeasure(scratch)
  reserveTables(size)
  reservePieces(size, whole, seedLow, seedHigh)
}

/** Builds on, `steps` ids of one phase; returns DONE, MORE, or the first token that breaks a rule. */
export function buildSome(steps: u32): u32 {
  const end = min(size, next + steps)
  const broken = work(next, end)
  if (broken !== NONE) return broken
  next = end
  if (end < size) return MORE
  phase++
  next = 0
  if (phase === SORT) beginSort(scratch)
  else if (phase === TRIE) beginTrie()
  return phase < BUILT ? MORE : DONE
}

/** Does the phase's work on `from … end`; returns NONE or the token that breaks a rule. */
function work(from: u32, end: u32): u32 {
  if (phase === MEASURE) return measure(from, end, scratch)
  if (phase === PAIRS) return pairAll(from, end, scratch)
  if (phase === SORT) sort(from, end, scratch)
  else insertAll(from, end, scratch)
  return NONE
}
