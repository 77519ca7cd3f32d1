import { largeFloat64Array, largeInt32Array, largeUint8Array, sharedFloat64Array } from '../memory.js'
import type { DocumentBounds } from '../windows/documents.js'
import { countTargets, type WindowIndex } from './segments.js'
import type { TokenMask } from './token-mask.js'

/** Bytes of a piece while it is packed: its place, its bin, and what is known of the bin; and of each length of a rest. */
const PACKING_BYTES = 48
const LENGTH_BYTES = 16

/** Most bytes that packing takes, its result among them. */
export function packingBytes(
  { count, totalTokens, longest }: Pick<DocumentBounds, 'count' | 'totalTokens' | 'longest'>,
  contextLength: number,
): number {
  const pieces = count + Math.ceil(totalTokens / contextLength)
  return pieces * PACKING_BYTES + Math.min(contextLength, longest) * LENGTH_BYTES
}

/**
 * Best-fit packing (Ding et al., "Fewer Truncations Improve Language Modeling", arXiv 2404.10830): each document
 * gives whole pieces of T tokens; the remainders, longest first, each go to the window with the least sufficient
 * space. Windows are ordered by their first tokens, and keep their pieces in the order of packing.
 *
 * @param longDocuments `truncate`: of a document longer than T only its first T tokens are kept; `drop`: none
 * @param mask pieces without a trained target are in no window
 */
export function packBestFit(
  documents: DocumentBounds,
  contextLength: number,
  longDocuments: LongDocuments,
  mask?: TokenMask,
): WindowIndex {
  const cut = new Cut(documents, contextLength, longDocuments, mask)
  const counts = countPieces(documents, contextLength, cut)
  const rests = restsByLength(documents, cut, counts.rests, counts.byLength)
  const packed = assignWindows(documents, contextLength, rests)
  const { places, firsts } = inOrder(documents, contextLength, cut, counts, packed)
  return {
    count: firsts.length - 1,
    filledSlots: documents.totalTokens - counts.dropped,
    droppedTokens: counts.dropped,
    splitDocuments: counts.split,
    ...(mask && { untrainedPieces: counts.untrained }),
    ...((mask || longDocuments === 'drop') && { droppedDocuments: counts.droppedDocuments }),
    places,
    firsts,
  }
}

/** What becomes of a document longer than T. */
export type LongDocuments = 'split' | 'truncate' | 'drop'

/** How documents are cut into pieces. */
class Cut {
  readonly #splits: boolean
  readonly #drops: boolean

  constructor(
    readonly documents: DocumentBounds,
    private readonly contextLength: number,
    longDocuments: LongDocuments,
    readonly mask: TokenMask | undefined,
  ) {
    this.#splits = longDocuments === 'split'
    this.#drops = longDocuments === 'drop'
  }

  isDropped(d: number): boolean {
    return this.#drops && this.documents.length(d) > this.contextLength
  }

  /** Whole pieces of a document, those without a trained target too. */
  whole(d: number): number {
    const whole = Math.floor(this.documents.length(d) / this.contextLength)
    return this.#splits ? whole : this.isDropped(d) ? 0 : Math.min(1, whole)
  }

  /** The tokens behind them, which are packed where a target is trained. */
  rest(d: number): number {
    const length = this.documents.length(d)
    return this.#splits || length < this.contextLength ? length % this.contextLength : 0
  }

  /** Whether a piece, counted from 0, has a trained target. */
  isTrained(d: number, piece: number): boolean {
    if (this.mask === undefined) return true
    const start = piece * this.contextLength
    const length = Math.min(this.contextLength, this.documents.length(d) - start)
    return countTargets(this, { document: d, start, length }, false) > 0
  }

  hasRest(d: number): boolean {
    return this.rest(d) > 0 && this.isTrained(d, this.whole(d))
  }
}

interface Pieces {
  readonly pieces: number
  readonly rests: number
  /** Rests of each length, 1 … T − 1. */
  readonly byLength: Int32Array
  /** Documents with several pieces. */
  readonly split: number
  /** Tokens that are in no piece that is packed. */
  readonly dropped: number
  readonly untrained: number
  readonly droppedDocuments: number
}

function countPieces(documents: DocumentBounds, contextLength: number, cut: Cut): Pieces {
  const byLength = largeInt32Array(Math.min(contextLength, documents.longest) + 1)
  let [pieces, rests, split, kept, untrained, droppedDocuments] = [0, 0, 0, 0, 0, 0]
  for (let d = 0; d < documents.count; d++) {
    const whole = cut.whole(d)
    const rest = cut.rest(d)
    let own = 0
    for (let p = 0; p < whole; p++) if (cut.isTrained(d, p)) own++
    untrained += whole - own
    kept += own * contextLength
    if (cut.hasRest(d)) {
      byLength[rest]++
      rests++
      own++
      kept += rest
    } else if (rest > 0) untrained++
    pieces += own
    if (own > 1) split++
    if (cut.isDropped(d)) droppedDocuments++
  }
  return {
    pieces,
    rests,
    byLength,
    split,
    dropped: documents.totalTokens - kept,
    untrained,
    droppedDocuments,
  }
}

/** The documents that have a rest, longest rest first; of equal ones in the order of the documents. */
function restsByLength(documents: DocumentBounds, cut: Cut, count: number, byLength: Int32Array): Int32Array {
  const next = largeInt32Array(byLength.length)
  for (let length = byLength.length - 2; length > 0; length--) {
    next[length] = next[length + 1] + byLength[length + 1]
  }
  const sorted = largeInt32Array(count)
  for (let d = 0; d < documents.count; d++) if (cut.hasRest(d)) sorted[next[cut.rest(d)]++] = d
  return sorted
}

interface Packed {
  /** Documents whose rests are packed, in the order of packing. */
  readonly rests: Int32Array
  readonly bins: Int32Array
  readonly numBins: number
}

function assignWindows(documents: DocumentBounds, contextLength: number, rests: Int32Array): Packed {
  const bins = largeInt32Array(rests.length)
  const longest = rests.length > 0 ? documents.length(rests[0]) % contextLength : 1
  const spaces = new FreeSpaces(longest, rests.length)
  let numBins = 0
  for (let i = 0; i < rests.length; i++) {
    const length = documents.length(rests[i]) % contextLength
    const space = spaces.smallestFrom(length)
    const bin = space === undefined ? numBins++ : spaces.take(space)
    bins[i] = bin
    spaces.put((space ?? contextLength) - length, bin)
  }
  return { rests, bins, numBins }
}

/** Orders the windows by the first of their tokens: that is the order in which a walk over all pieces meets them. */
function inOrder(
  documents: DocumentBounds,
  contextLength: number,
  cut: Cut,
  counts: Pieces,
  { rests, bins, numBins }: Packed,
): Required<Pick<WindowIndex, 'places' | 'firsts'>> {
  const numWindows = counts.pieces - counts.rests + numBins
  const binOf = largeInt32Array(documents.count) // of each document's rest, plus one
  const sizes = largeInt32Array(numBins)
  for (let i = 0; i < rests.length; i++) {
    binOf[rests[i]] = bins[i] + 1
    sizes[bins[i]]++
  }

  const places = sharedFloat64Array(counts.pieces)
  const firsts = sharedFloat64Array(numWindows + 1)
  const nextPiece = largeFloat64Array(numBins) // place of the next piece of each bin, plus one
  let window = 0
  let at = 0
  for (let d = 0; d < documents.count; d++) {
    const whole = cut.whole(d)
    for (let p = 0; p < whole; p++) {
      if (!cut.isTrained(d, p)) continue
      firsts[window++] = at
      places[at++] = documents.start(d) + p * contextLength
    }
    const bin = binOf[d] - 1
    if (bin >= 0 && nextPiece[bin] === 0) {
      firsts[window++] = at
      nextPiece[bin] = at + 1
      at += sizes[bin]
    }
  }
  firsts[window] = at
  for (let i = 0; i < rests.length; i++) {
    const d = rests[i]
    places[nextPiece[bins[i]]++ - 1] = documents.start(d) + cut.whole(d) * contextLength
  }
  return { places, firsts }
}

/**
 * Bins by their free space. Of bins with equal space the one put last is taken first. Rests come longest first, and a bin
 * is only opened for one that fits nowhere: so at most one bin at a time has the space of the longest rest or more.
 */
class FreeSpaces {
  /** The bin that was put last at each space below the longest rest, plus one; 0: there is none. */
  readonly #last: Int32Array
  /** The bin, plus one, that was put at the same space before each bin. */
  readonly #before: Int32Array
  /** A binary tree: the leaf `size + space` is 1 where there is a bin, and every other node where one below it is. */
  readonly #isUsed: Uint8Array
  readonly #size: number
  /** The bin with the space of the longest rest or more. */
  #roomy: { readonly space: number; readonly bin: number } | undefined

  /** @param longest rest, in tokens: the arrays are of its size, however long a window is */
  constructor(
    private readonly longest: number,
    bins: number,
  ) {
    this.#last = largeInt32Array(longest)
    this.#before = largeInt32Array(bins)
    this.#size = 2 ** Math.ceil(Math.log2(longest))
    this.#isUsed = largeUint8Array(2 * this.#size)
  }

  put(space: number, bin: number): void {
    if (space >= this.longest) {
      this.#roomy = { space, bin }
      return
    }
    this.#before[bin] = this.#last[space]
    this.#last[space] = bin + 1
    for (let node = this.#size + space; node > 0 && this.#isUsed[node] === 0; node >>>= 1)
      this.#isUsed[node] = 1
  }

  /** Takes the bin that was put last at a space in use. */
  take(space: number): number {
    if (space >= this.longest) {
      const { bin } = this.#roomy!
      this.#roomy = undefined
      return bin
    }
    const bin = this.#last[space] - 1
    this.#last[space] = this.#before[bin]
    const used = this.#isUsed
    if (this.#last[space] === 0) used[this.#size + space] = 0
    for (let node = (this.#size + space) >>> 1; node > 0; node >>>= 1)
      used[node] = used[2 * node] | used[2 * node + 1]
    return bin
  }

  /** The smallest space in use of at least `least`. */
  smallestFrom(least: number): number | undefined {
    let node = least < this.longest ? this.#size + least : 0
    while (this.#isUsed[node] === 0) {
      while (node % 2 === 1) node >>>= 1 // a right child has nothing beside it
      if (node === 0) return this.#roomy?.space
      node++
    }
    while (node < this.#size) node = 2 * node + (this.#isUsed[2 * node] === 1 ? 0 : 1)
    return node - this.#size
  }
}
