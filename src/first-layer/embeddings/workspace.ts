import { instantiateKernels, type Kernels } from '../kernels/kernels.js'
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

/** The place of a thread's scratch space in a model's memory. */
export interface WorkspaceLayout {
  readonly pointer: number
  /** Bytes of a block: the usual size, or one row where that is longer. */
  readonly blockBytes: number
}

/**
 * Allocates one thread's scratch space, for rows of `dim` elements. Only the thread that made the memory can do
 * so.
 */
export function allocateWorkspace(memory: ModelMemory, dim: number): WorkspaceLayout {
  const blockBytes = blockBytesOf(dim)
  return { pointer: memory.allocate(workspaceBytes(dim)), blockBytes }
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
  readonly #outside = new OutsideBlocks()

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
    if (block === undefined) return this.#outside.lease(byteLength, unit)
    return leaseOf(block, byteLength, () => this.#free.push(block))
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

  /**
   * The first `count` elements of {@link rows} as `dtype`, rounded to nearest even, in `out`.
   * Returns the bytes of `out` that they take.
   */
  narrowRows(count: number, dtype: FloatDtype, out: Uint8Array): Uint8Array {
    const bytes = count * (dtype === 'float32' ? 4 : 2)
    const source = this.rows.byteOffset
    if (dtype === 'float32') {
      out.set(this.memory.bytes(source, bytes))
      return out.subarray(0, bytes)
    }
    const narrow = dtype === 'float16' ? this.kernels.narrowFloat16 : this.kernels.narrowBfloat16
    if (this.holds(out)) {
      narrow(out.byteOffset, source, count)
    } else {
      narrow(this.#gathered.byteOffset, source, count)
      out.set(this.memory.bytes(this.#gathered.byteOffset, bytes))
    }
    return out.subarray(0, bytes)
  }

  /** Stored numbers from anywhere as float32, exactly, in rows of this workspace. */
  widen(stored: Uint8Array, dtype: FloatDtype, rows: Float32Array): void {
    const { memory, kernels } = this
    if (dtype === 'float32') {
      memory.bytes(rows.byteOffset, rows.byteLength).set(stored)
      return
    }
    memory.bytes(this.#gathered.byteOffset, stored.length).set(stored)
    const widen = dtype === 'float16' ? kernels.widenFloat16 : kernels.widenBfloat16
    widen(rows.byteOffset, this.#gathered.byteOffset, rows.length)
  }

  /** Rounds rows in this workspace to the numbers of a 16-bit type, in place: bfloat16, 1.001 → 1. */
  roundRows(rows: Float32Array, dtype: 'float16' | 'bfloat16'): void {
    const { narrowFloat16, narrowBfloat16, widenFloat16, widenBfloat16 } = this.kernels
    const [narrow, widen] =
      dtype === 'float16' ? [narrowFloat16, widenFloat16] : [narrowBfloat16, widenBfloat16]
    narrow(this.#gathered.byteOffset, rows.byteOffset, rows.length)
    widen(rows.byteOffset, this.#gathered.byteOffset, rows.length)
  }
}

/**
 * Bytes of a block outside a model's memory, for a stream that finds the pool empty: small, since slow readers may be
 * many.
 */
const OUTSIDE_BYTES = 1 << 17
/**
 * Blocks outside the memory that a thread keeps: allocating new ones is slow, and makes garbage collection more
 * frequent.
 */
const KEPT_OUTSIDE = 64

/** A buffer for one stream of blocks, given back when the stream ends. */
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

/** Small blocks outside a model's memory. */
class OutsideBlocks implements BlockPool {
  readonly #kept: Uint8Array[] = []

  lease(byteLength: number, unit: number): BlockLease {
    const most = Math.max(unit, OUTSIDE_BYTES - (OUTSIDE_BYTES % unit))
    if (most > OUTSIDE_BYTES) return leaseOf(fresh(most), most, () => {})
    const block = this.#kept.pop() ?? fresh(OUTSIDE_BYTES)
    return leaseOf(block, Math.min(byteLength, most), () => {
      if (this.#kept.length < KEPT_OUTSIDE) this.#kept.push(block)
    })
  }
}

/** The blocks of this thread's streams that need no model. */
export const blocksWithoutModel = new OutsideBlocks()

/** A lease of a block that goes back once. */
function leaseOf(block: Uint8Array, byteLength: number, giveBack: () => void): BlockLease {
  let held = true
  return {
    bytes: block.subarray(0, byteLength),
    release() {
      if (held) giveBack()
      held = false
    },
  }
}

/** Memory that is not zeroed: every block is written before it is read. */
function fresh(byteLength: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(byteLength).buffer)
}
