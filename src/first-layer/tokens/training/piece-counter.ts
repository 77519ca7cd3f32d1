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
/** Pieces whose bytes are copied to the kernel at once. */
const LISTED = 8192

/** Cuts texts into pieces and counts them. Its memory, of at most 4 GiB, grows with the number of distinct pieces. */
export class PieceCounter {
  #ownKernel: CountKernel | undefined
  /** Parts of a text whose pieces JavaScript finds. */
  #parts: Uint8Array[] = []

  constructor(private readonly cutting: Cutting) {}

  get #kernel(): CountKernel {
    this.#ownKernel ??= kernelFor(this.cutting)
    return this.#ownKernel
  }

  /** Distinct pieces so far. */
  get size(): number {
    return this.#kernel.used.value
  }

  /** Takes the next bytes of a text, valid UTF-8 that may be cut anywhere; `isEnd`: the text ends with them. */
  write(utf8: Uint8Array, isEnd = true): void {
    if ('expression' in this.cutting) {
      this.#parts.push(utf8.slice())
      if (isEnd) this.#countMatches(Buffer.concat(this.#parts.splice(0)).toString(), this.cutting.expression)
      return
    }
    const at = this.#kernel.makeRoom(utf8.length) >>> 0
    new Uint8Array(this.#kernel.memory.buffer, at).set(utf8)
    this.#kernel.countText(utf8.length, isEnd)
  }

  /** Adds pieces that another one has counted; no text may have been begun. */
  add({ bytes, ends, counts }: CountedPieces): void {
    const kernel = this.#kernel
    let start = 0
    for (let piece = 0; piece < ends.length; ) {
      const last = Math.min(piece + LISTED, ends.length)
      const part = bytes.subarray(start, ends[last - 1])
      let at = kernel.makeRoom(part.length) >>> 0
      new Uint8Array(kernel.memory.buffer, at).set(part)
      while (piece < last) {
        const length = ends[piece] - start
        kernel.addPiece(at, length, counts[piece++])
        at += length
        start += length
      }
    }
  }

  /** Takes all pieces out, and their memory. */
  take(): CountedPieces {
    const { memory, slots, bits, used } = this.#kernel
    const first = slots.value >>> 0
    const all = new Uint8Array(memory.buffer)
    const table = new DataView(memory.buffer, first, SLOT * 2 ** bits.value)
    const [starts, ends] = [new Uint32Array(used.value), new Uint32Array(used.value)]
    const counts = new Float64Array(used.value)
    let size = 0
    for (let slot = 0, piece = 0; slot < table.byteLength; slot += SLOT) {
      const length = table.getUint8(slot + SHORT)
      if (length === 0) continue
      const isShort = length <= SHORT
      starts[piece] = isShort ? first + slot : table.getUint32(slot, true)
      size += isShort ? length : ~table.getUint32(slot + 8, true) >>> 0
      ends[piece] = size
      counts[piece++] = table.getFloat64(slot + 16, true)
    }
    const bytes = new Uint8Array(size)
    for (let piece = 0, at = 0; piece < ends.length; at = ends[piece++])
      for (let from = starts[piece], to = at; to < ends[piece]; ) bytes[to++] = all[from++]
    this.#ownKernel = undefined
    return { bytes, ends, counts }
  }

  /** Counts the matches of an expression that the kernel does not know, and what lies between them. */
  #countMatches(text: string, expression: RegExp): void {
    const pieces: string[] = []
    let end = 0
    for (const match of text.matchAll(expression)) {
      if (!this.cutting.leavesGaps) pieces.push(text.slice(end, match.index))
      pieces.push(match[0])
      end = match.index + match[0].length
    }
    if (!this.cutting.leavesGaps) pieces.push(text.slice(end))
    const found = pieces.filter((piece) => piece !== '')
    let size = 0
    const ends = Uint32Array.from(found, (piece) => (size += Buffer.byteLength(piece)))
    this.add({
      ...{ bytes: new Uint8Array(Buffer.from(found.join(''))), ends },
      counts: new Float64Array(found.length).fill(1),
    })
  }
}

function kernelFor(cutting: Cutting): CountKernel {
  const kernel = instantiateCountKernel()
  let states = 0
  if ('table' in cutting) {
    const { classes, numClasses, transitions } = cutting.table
    const at = kernel.reserveClasses(classes.length, numClasses)
    states = kernel.reserve(transitions.byteLength)
    new Uint8Array(kernel.memory.buffer, at).set(classes)
    new Uint32Array(kernel.memory.buffer, states).set(transitions)
  }
  const [low, high] = crypto.getRandomValues(new BigUint64Array(2))
  kernel.begin(states, low!, high!, cutting.leavesGaps)
  return kernel
}
