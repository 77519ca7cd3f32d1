import { sharedFloat64Array } from '../memory.js'
import type { DocumentBounds } from '../windows/documents.js'
import type { PackingRule } from './recipe-options.js'
import { countTargets, type WindowIndex } from './segments.js'
import type { TokenMask } from './token-mask.js'

/** Bytes of a piece while it is packed: its place, its bin, and what is known of the bin; and of each length of a rest. */
const PACKING_BYTES = 60
const LENGTH_BYTES = 20

function mostPieces({ count, totalTokens }: Pick<DocumentBounds, 'count' | 'totalTokens'>, T: number) {
  return count + Math.ceil(totalTokens / T)
}

/** Most bytes that packing takes, its result among them. */
export function packingBytes(
  documents: Pick<DocumentBounds, 'count' | 'totalTokens' | 'longest'>,
  contextLength: number,
): number {
  const lengths = Math.min(contextLength, documents.longest)
  return mostPieces(documents, contextLength) * PACKING_BYTES + lengths * LENGTH_BYTES
}

/**
 * Best-fit packing (Ding et al., "Fewer Truncations Improve Language Modeling", arXiv 2404.10830): each document
 * gives whole pieces of T tokens; the remainders, longest first, each go to the window with the least sufficient
 * space. Windows are ordered by their first tokens, and keep their pieces in the order of packing.
 *
 * @param mask pieces without a trained target are in no window
 */
export function packBestFit(
  documents: DocumentBounds,
  { context_length: contextLength, long_documents }: PackingRule,
  mask?: TokenMask,
): WindowIndex {
  const most = mostPieces(documents, contextLength)
  const places = new Float64Array(most)
  const lengths = new Int32Array(most)
  let [count, kept, splitDocuments, untrainedPieces, droppedDocuments] = [0, 0, 0, 0, 0]
  for (let d = 0; d < documents.count; d++) {
    let rest = documents.length(d)
    if (long_documents === 'drop' && rest > contextLength) {
      droppedDocuments++
      continue
    }
    if (long_documents === 'truncate') rest = Math.min(rest, contextLength)
    const before = count
    for (let start = 0; rest > 0; start += contextLength, rest -= contextLength) {
      const length = Math.min(contextLength, rest)
      if (mask && countTargets({ documents, mask }, { document: d, start, length }, false) === 0) {
        untrainedPieces++
        continue
      }
      places[count] = documents.start(d) + start
      lengths[count++] = length
      kept += length
    }
    if (count - before > 1) splitDocuments++
  }
  return {
    ...{ filledSlots: kept, droppedTokens: documents.totalTokens - kept, splitDocuments },
    ...(mask && { untrainedPieces }),
    ...((mask || long_documents === 'drop') && { droppedDocuments }),
    ...packed(places.subarray(0, count), lengths.subarray(0, count), contextLength),
  }
}

/** Puts pieces into windows of T slots. */
function packed(pieces: Float64Array, lengths: Int32Array, contextLength: number) {
  const rests = longestFirst(lengths, contextLength)
  const bins = new Int32Array(pieces.length) // of each rest, plus one
  const sizes = new Int32Array(rests.length) // pieces in each bin
  const left = new Float64Array(rests.length) // slots that are free there
  const longest = rests.length > 0 ? lengths[rests[0]] : 1
  const spaces = new FreeSpaces(longest, rests.length)
  let numBins = 0
  for (const piece of rests) {
    const found = spaces.take(lengths[piece])
    const bin = found ?? numBins++
    left[bin] = (found === undefined ? contextLength : left[bin]) - lengths[piece]
    spaces.put(Math.min(left[bin], longest), bin)
    bins[piece] = bin + 1
    sizes[bin]++
  }
  const count = pieces.length - rests.length + numBins
  const places = sharedFloat64Array(pieces.length)
  const firsts = sharedFloat64Array(count + 1)
  const next = new Float64Array(numBins) // place of the next piece of each bin
  let [window, at] = [0, 0]
  for (let piece = 0; piece < pieces.length; piece++) {
    const bin = bins[piece] - 1
    if (sizes[bin] === 0) continue // the window has begun with an earlier piece
    firsts[window++] = at
    if (bin < 0) places[at++] = pieces[piece]
    else {
      next[bin] = at
      at += sizes[bin]
      sizes[bin] = 0
    }
  }
  firsts[window] = at
  for (const piece of rests) places[next[bins[piece] - 1]++] = pieces[piece]
  return { count, places, firsts }
}

/** The pieces shorter than T, longest first; of equal ones in their own order. */
function longestFirst(lengths: Int32Array, contextLength: number): Int32Array {
  let longest = 0
  for (const length of lengths) if (length < contextLength && length > longest) longest = length
  const next = new Int32Array(longest + 2) // of each length: at first how many are longer
  for (const length of lengths) if (length < contextLength) next[length - 1]++
  for (let length = longest - 1; length >= 0; length--) next[length] += next[length + 1]
  const sorted = new Int32Array(longest === 0 ? 0 : next[0])
  for (let piece = 0; piece < lengths.length; piece++)
    if (lengths[piece] < contextLength) sorted[next[lengths[piece]]++] = piece
  return sorted
}

/** Bins by their free space; of bins with equal space the one put last is taken first. */
class FreeSpaces {
  /** A binary tree: the leaf `size + space` is the bin that was put last there, plus one; every other node is 0 where all below it are. */
  readonly #tree: Int32Array
  readonly #size: number
  /** The bin, plus one, that was put at the same space before each bin. */
  readonly #before: Int32Array

  /**
   * @param longest rest. A bin is only opened for a rest that fits nowhere: so one bin at most has as much space or more,
   * and stands at this one, however long a window is
   */
  constructor(longest: number, bins: number) {
    this.#size = 2 ** Math.ceil(Math.log2(longest + 1))
    this.#tree = new Int32Array(2 * this.#size)
    this.#before = new Int32Array(bins)
  }

  put(space: number, bin: number): void {
    const tree = this.#tree
    let node = this.#size + space
    this.#before[bin] = tree[node]
    tree[node] = bin + 1
    for (node >>>= 1; node > 0 && tree[node] === 0; node >>>= 1) tree[node] = 1
  }

  /** Takes the bin that was put last at the smallest space of at least `least`; undefined: there is none. */
  take(least: number): number | undefined {
    const tree = this.#tree
    let node = this.#size + least
    while (tree[node] === 0) {
      while (node % 2 === 1) node >>>= 1 // a right child has nothing beside it
      if (node === 0) return undefined
      node++
    }
    while (node < this.#size) node = 2 * node + (tree[2 * node] === 0 ? 1 : 0)
    const bin = tree[node] - 1
    tree[node] = this.#before[bin]
    for (node >>>= 1; node > 0; node >>>= 1) tree[node] = tree[2 * node] | tree[2 * node + 1]
    return bin
  }
}
