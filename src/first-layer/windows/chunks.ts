import { InletError } from '../errors.js'
import { PAUSE, type Steps } from '../steps.js'
import { TokenBuffer } from '../tokens/token-buffer.js'
import type { Cuts } from './cuts.js'

/** Chunks that are found between two pauses. */
const STEP_CHUNKS = 256

/** A part of a text: tokens, bytes and code points, each from the first to the one behind the last. */
export interface Chunk {
  readonly tokens: readonly [number, number]
  readonly bytes: readonly [number, number]
  readonly characters: readonly [number, number]
}

/** The chunks of one text. */
export class Chunks {
  constructor(
    private readonly cuts: Cuts,
    /** Numbers of the cuts at which each begins and ends, in turn. */
    private readonly ends: TokenBuffer,
  ) {}

  get count(): number {
    return this.ends.length / 2
  }

  at(i: number): Chunk {
    const { tokens, bytes, characters } = this.cuts
    const [first, last] = [this.ends.at(2 * i), this.ends.at(2 * i + 1)]
    const of = (places: Int32Array) => [places[first]!, places[last]!] as const
    return { tokens: of(tokens), bytes: of(bytes), characters: of(characters) }
  }
}

export interface ChunkSizes {
  readonly maxTokens: number
  /** Most tokens that a chunk has of the one before it, below `maxTokens`. */
  readonly overlap: number
}

/**
 * Cuts a text into chunks of at most `maxTokens` of its tokens, each as long as it can be, which begin with up to
 * `overlap` tokens of the one before. A chunk ends, and begins, at a cut of preference where one is in reach; the overlap
 * is shortened for that. The chunks without what they repeat are the text, byte for byte.
 *
 * With tokens `a b c d e`, 3 of them and an overlap of 1: `a b c`, `c d e`.
 *
 * @throws InletError `unsupported_combination` where more than `maxTokens` tokens stand between two cuts
 */
export function* chunksOf(cuts: Cuts, sizes: ChunkSizes): Steps<Chunks> {
  const ends = new TokenBuffer()
  const chunks = new Chunks(cuts, ends)
  const last = cuts.count - 1
  for (let [begin, end] = [0, 0]; ; begin = nextBegin(cuts, begin, end, sizes)) {
    if (chunks.count % STEP_CHUNKS === 0) yield PAUSE
    end = endFrom(cuts, begin, end, sizes)
    ends.push(begin)
    ends.push(end)
    if (end === last) return chunks
  }
}

/**
 * The cut at which the next chunk begins: as far before `end` as the overlap and its own length let it, so that it ends
 * behind `end`, at a cut of preference if one can be reached.
 */
function nextBegin(cuts: Cuts, begin: number, end: number, { maxTokens, overlap }: ChunkSizes): number {
  const { tokens, preferred, preferredCount, count } = cuts
  const next = preferred[firstAtLeast(preferred, preferredCount, end + 1)] ?? end + 1
  for (const [to, isPreferred] of [
    [next, true],
    [end + 1, true],
    [end + 1, false],
  ] as const) {
    const least = Math.max(tokens[end]! - overlap, tokens[to]! - maxTokens)
    let at = Math.max(firstAtLeast(tokens, count, least), begin + 1)
    if (isPreferred) at = preferred[firstAtLeast(preferred, preferredCount, at)] ?? count
    if (at <= end) return at
  }
  return end
}

/** The last cut behind `after` that a chunk from `begin` on reaches: of preference, if there is one. */
function endFrom(cuts: Cuts, begin: number, after: number, { maxTokens }: ChunkSizes): number {
  const { tokens, bytes, preferred, preferredCount, count } = cuts
  const reach = firstAtLeast(tokens, count, tokens[begin]! + maxTokens + 1) - 1
  if (reach === after) {
    const between = tokens[after + 1]! - tokens[begin]!
    const where = `bytes ${bytes[begin]} to ${bytes[after + 1]} of a text cannot be cut and have as many`
    const message = `\`max_tokens\` must be at least ${between}: ${where}. Given: ${maxTokens}`
    throw new InletError('unsupported_combination', message, 'max_tokens')
  }
  const best = preferred[firstAtLeast(preferred, preferredCount, reach + 1) - 1]!
  return best > after ? best : reach
}

/** The first of `count` ascending numbers that is at least `least`; `count`: none is. */
function firstAtLeast(ascending: Int32Array, count: number, least: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ascending[middle]! < least) low = middle + 1
    else high = middle
  }
  return low
}
