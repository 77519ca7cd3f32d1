import { getRandomValues } from 'node:crypto'
import { type CountKernel, instantiateCountKernel } from '../../kernels/count-kernel.js'
import type { Cutting } from './cutting.js'

/** Distinct pieces of texts, one behind the other. */
export interface CountedPieces {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each piece ends in `bytes`. */
  readonly ends: Uint32Array<ArrayBuffer>
  /** How often each came: exact, to 2^53. */
  readonly counts: Float64Array<ArrayBuffer>
}

// The slots of the kernel's table (kernels/assembly/count/index.ts).
const SLOT = 24
const SHORT = 15
/** Pieces that the kernel takes in one call. */
const LISTED = 8192

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Cuts texts into pieces and counts them. Its memory, of at most 4 GiB, grows with the number of distinct pieces. */
export class PieceCounter {
  readonly #cutting: Cutting
  #kernel: CountKernel

  constructor(cutting: Cutting) {
    this.#cutting = cutting
    this.#kernel = kernelFor(cutting)
  }

  /** Distinct pieces so far. */
  get size(): number {
    return this.#kernel.used.value
  }

  /** Counts the pieces of a text, valid UTF-8, that begins and ends where pieces do: a document, or a part of one. */
  addText(utf8: Uint8Array): void {
    if ('expression' in this.#cutting) {
      this.#addMatches(decoder.decode(utf8), this.#cutting)
      return
    }
    const kernel = this.#kernel
    const at = kernel.makeRoom(utf8.length)
    new Uint8Array(kernel.memory.buffer, at).set(utf8)
    kernel.countText(utf8.length)
  }

  add({ bytes, ends, counts }: CountedPieces): void {
    const kernel = this.#kernel
    for (let first = 0; first < ends.length; first += LISTED) {
      const behind = Math.min(first + LISTED, ends.length)
      const start = first === 0 ? 0 : ends[first - 1]!
      const at = kernel.makeRoom(ends[behind - 1]! - start)
      const { buffer } = kernel.memory
      new Uint8Array(buffer, at).set(bytes.subarray(start, ends[behind - 1]))
      new Uint32Array(buffer, kernel.ends.value, LISTED).set(
        ends.subarray(first, behind).map((end) => end - start),
      )
      new Float64Array(buffer, kernel.counts.value, LISTED).set(counts.subarray(first, behind))
      kernel.addListed(behind - first)
    }
  }

  /** Takes all pieces out: the next text is counted from nothing, in new memory. */
  take(): CountedPieces {
    const { memory, slots, bits, used } = this.#kernel
    const table = new DataView(memory.buffer, slots.value, SLOT * 2 ** bits.value)
    const all = new Uint8Array(memory.buffer)
    const starts = new Uint32Array(used.value)
    const ends = new Uint32Array(used.value)
    const counts = new Float64Array(used.value)
    let piece = 0
    let end = 0
    for (let slot = 0; slot < table.byteLength; slot += SLOT) {
      const short = table.getUint8(slot + SHORT)
      if (short === 0) continue
      const isLong = short === 0xff
      starts[piece] = isLong ? table.getUint32(slot, true) : slots.value + slot
      end += isLong ? ~table.getUint32(slot + 8, true) >>> 0 : short
      ends[piece] = end
      counts[piece++] = table.getFloat64(slot + 16, true)
    }
    const bytes = new Uint8Array(end)
    for (let i = 0, at = 0; i < piece; i++) {
      const behind = ends[i]!
      if (behind - at > SHORT) bytes.set(all.subarray(starts[i]!, starts[i]! + behind - at), at)
      else for (let from = starts[i]!; at < behind; at++, from++) bytes[at] = all[from]!
      at = behind
    }
    this.#kernel = kernelFor(this.#cutting)
    return { bytes, ends, counts }
  }

  /** The pieces of a pattern that the kernel does not know, by JavaScript's own search. */
  #addMatches(text: string, { expression, leavesGaps }: Cutting & { expression: RegExp }): void {
    const pieces: string[] = []
    const put = (piece: string) => {
      if (piece !== '' && pieces.push(piece) === LISTED) this.#addStrings(pieces.splice(0))
    }
    let end = 0
    for (const match of text.matchAll(expression)) {
      if (!leavesGaps) put(text.slice(end, match.index))
      put(match[0])
      end = match.index + match[0].length
    }
    if (!leavesGaps) put(text.slice(end))
    this.#addStrings(pieces)
  }

  #addStrings(pieces: readonly string[]): void {
    const ends = new Uint32Array(pieces.length)
    for (const [i, piece] of pieces.entries()) ends[i] = (ends[i - 1] ?? 0) + Buffer.byteLength(piece)
    this.add({
      bytes: encoder.encode(pieces.join('')),
      ends,
      counts: new Float64Array(pieces.length).fill(1),
    })
  }
}

function kernelFor(cutting: Cutting): CountKernel {
  const kernel = instantiateCountKernel()
  const put = (array: Uint8Array | Uint16Array | Uint32Array, at: number) =>
    new Uint8Array(kernel.memory.buffer, at).set(
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength),
    )
  let states = 0
  if ('table' in cutting) {
    const { index, pages, regions, transitions } = cutting.table
    const classes = kernel.reserveClasses(pages.length, regions.length)
    put(index, classes)
    put(pages, classes + index.byteLength)
    put(regions, classes + index.byteLength + pages.length)
    states = kernel.reserve(transitions.byteLength)
    put(transitions, states)
  }
  const [low, high] = getRandomValues(new BigUint64Array(2))
  kernel.begin(states, low!, high!, cutting.leavesGaps)
  return kernel
}
