import { type Convert, instantiateKernels, type Kernels } from '../kernels/kernels.js'
import type { ModelMemory } from '../kernels/model-memory.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import type { StoredNumbers } from './op.js'

/** Bytes of a usual block: what a core's second-level cache holds, and a socket takes at once. */
export const BLOCK_BYTES = 1 << 20

/** Most rows of one block: blocks of narrow rows would otherwise need long lists of ids. */
export const MAX_BLOCK_ROWS = 1 << 16

/** Blocks that a thread keeps for its streams. */
const POOLED_BLOCKS = 16

/** Blocks for work that ends within a turn of the event loop: rows, narrow rows, rows to add, gathered rows. */
const SCRATCH_BLOCKS = 4

type SmallFloat = Exclude<FloatDtype, 'float32'>

/** The place of a thread's scratch space in a model's memory. */
export interface WorkspaceLayout {
  readonly pointer: number
  /** Bytes of a block: the usual size, or one row where that is longer. */
  readonly blockBytes: number
}

/** Allocates one thread's scratch space, for rows of `dim` elements. */
export function allocateWorkspace(memory: ModelMemory, dim: number): WorkspaceLayout {
  return { pointer: memory.allocate(workspaceBytes(dim)), blockBytes: blockBytesOf(dim) }
}

/** Bytes that a thread's scratch space takes; pages that are never touched take no physical memory. */
export function workspaceBytes(dim: number): number {
  return MAX_BLOCK_ROWS * 4 + (SCRATCH_BLOCKS + POOLED_BLOCKS) * blockBytesOf(dim)
}

function blockBytesOf(dim: number): number {
  return Math.max(BLOCK_BYTES, Math.ceil((dim * 4) / 64) * 64)
}

/**
 * One thread's scratch space in a model's memory, and the kernels that work there.
 *
 * Output blocks are used again: writing to fresh memory costs more than the lookup itself, since the system first
 * has to map each page. A stream keeps its block while a slow client reads. When the pool is empty, the next
 * stream gets a smaller block outside the memory, so that no request waits for another request's client.
 */
export class Workspace implements BlockPool {
  readonly kernels: Kernels
  readonly blockBytes: number
  /** Scratch for the rows of one block, between two turns of the event loop. */
  readonly rows: Float32Array
  /** Scratch for rows before they are projected to another width. */
  readonly unprojected: Float32Array
  /** Scratch for rows that are added to them. */
  readonly addends: Float32Array
  /** Scratch for the ids of one run of the kernels. */
  readonly ids: Int32Array
  readonly #gathered: Float32Array
  readonly #gatheredWords: Uint16Array
  readonly #free: Uint8Array[]

  constructor(
    readonly memory: ModelMemory,
    { pointer, blockBytes }: WorkspaceLayout,
  ) {
    this.kernels = instantiateKernels(memory.memory)
    this.blockBytes = blockBytes
    this.ids = memory.int32(pointer, MAX_BLOCK_ROWS)
    const blocks = pointer + MAX_BLOCK_ROWS * 4
    const block = (i: number) => memory.bytes(blocks + i * blockBytes, blockBytes)
    const scratch = (i: number) => memory.float32(blocks + i * blockBytes, blockBytes / 4)
    this.rows = scratch(0)
    this.addends = scratch(1)
    this.#gathered = scratch(2)
    this.unprojected = scratch(3)
    this.#gatheredWords = memory.uint16(this.#gathered.byteOffset, this.#gathered.length)
    // Popped from the end: the first block is used most, and the last ones may never be touched.
    this.#free = Array.from({ length: POOLED_BLOCKS }, (_, i) =>
      block(SCRATCH_BLOCKS + POOLED_BLOCKS - 1 - i),
    )
  }

  /** Blocks that no stream holds. */
  get freeBlocks(): number {
    return this.#free.length
  }

  /** A pooled block if one is free and large enough, otherwise a smaller one. */
  lease(byteLength: number, unit: number): BlockLease {
    const block = byteLength <= this.blockBytes ? this.#free.pop() : undefined
    if (block === undefined) return blocksWithoutModel.lease(byteLength, unit)
    return { bytes: block.subarray(0, byteLength), release: () => this.#free.push(block) }
  }

  /** Whether an array is in this workspace's memory, which the kernels can access. */
  holds(array: ArrayBufferView): boolean {
    return array.buffer === this.memory.memory.buffer
  }

  /** Pointer of `ids`, copied to {@link ids} where they lie outside. */
  idsPointer(ids: Int32Array): number {
    if (this.holds(ids)) return ids.byteOffset
    this.ids.set(ids)
    return this.ids.byteOffset
  }

  /** Copies to scratch the `count` rows of `table` that `rowOf` names, as they are stored; returns its pointer. */
  gather(table: StoredNumbers, dim: number, count: number, rowOf: (i: number) => number): number {
    const gathered = table instanceof Float32Array ? this.#gathered : this.#gatheredWords
    for (let i = 0; i < count; i++) {
      const at = rowOf(i) * dim
      gathered.set(table.subarray(at, at + dim), i * dim)
    }
    return gathered.byteOffset
  }

  /** Writes the first `count` elements of {@link rows} to `out` as `dtype`, rounded to nearest even. */
  narrowRows(count: number, dtype: FloatDtype, out: Uint8Array): void {
    const source = this.rows.byteOffset
    if (dtype === 'float32') {
      out.set(this.memory.bytes(source, 4 * count))
      return
    }
    const { narrow } = this.#convert(dtype)
    const place = this.holds(out) ? out.byteOffset : this.#gathered.byteOffset
    narrow(place, source, count)
    if (!this.holds(out)) out.set(this.memory.bytes(place, 2 * count))
  }

  /** Stored numbers from anywhere as float32, exactly, in rows of this workspace. */
  widen(stored: Uint8Array, dtype: FloatDtype, rows: Float32Array): void {
    const { memory } = this
    if (dtype === 'float32') {
      memory.bytes(rows.byteOffset, rows.byteLength).set(stored)
      return
    }
    memory.bytes(this.#gathered.byteOffset, stored.length).set(stored)
    this.#convert(dtype).widen(rows.byteOffset, this.#gathered.byteOffset, rows.length)
  }

  /** Rounds rows in this workspace to the numbers of a type, in place: bfloat16, 1.001 → 1. */
  roundRows(rows: Float32Array, dtype: FloatDtype): void {
    if (dtype === 'float32') return
    const { narrow, widen } = this.#convert(dtype)
    narrow(this.#gathered.byteOffset, rows.byteOffset, rows.length)
    widen(rows.byteOffset, this.#gathered.byteOffset, rows.length)
  }

  #convert(dtype: SmallFloat): { readonly narrow: Convert; readonly widen: Convert } {
    const { narrowFloat16, narrowBfloat16, widenFloat16, widenBfloat16 } = this.kernels
    return dtype === 'float16'
      ? { narrow: narrowFloat16, widen: widenFloat16 }
      : { narrow: narrowBfloat16, widen: widenBfloat16 }
  }
}

/** A buffer for one stream of blocks, given back once, when the stream ends. */
interface BlockLease {
  readonly bytes: Uint8Array
  release(): void
}

/** Buffers for streams of blocks. */
export interface BlockPool {
  /**
   * Leases a buffer to a stream. It holds whole units, at least one.
   *
   * @param byteLength bytes that the stream wants, a multiple of `unit`
   * @param unit bytes that must stay together: a row or an element
   */
  lease(byteLength: number, unit: number): BlockLease
}

/** Bytes of a block outside of a model's memory: small, since slow readers may be many. */
const OUTSIDE_BYTES = 1 << 17

/** Blocks outside of a model's memory: for a stream that finds the pool empty, or that needs no model. */
export const blocksWithoutModel: BlockPool = {
  lease(byteLength, unit) {
    const most = Math.max(unit, OUTSIDE_BYTES - (OUTSIDE_BYTES % unit))
    return { bytes: new Uint8Array(Math.min(byteLength, most)), release() {} }
  },
}
