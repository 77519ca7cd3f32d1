import { ModelMemory } from '../kernels/model-memory.js'
import { byteLength, elementCount, type FloatDtype } from '../tensors/named-tensor.js'
import { numbersIn, type StoredNumbers } from './op.js'
import { allocateWorkspace, type WorkspaceLayout, workspaceBytes } from './workspace.js'

/** The tables that rows are looked up in, by their names in a checkpoint, in the order in which a seed draws them. */
export const TABLE_NAMES = ['wte.weight', 'wpe.weight', 'wtt.weight'] as const
export type TableName = (typeof TABLE_NAMES)[number]

/** A table's name in a checkpoint, its shape and its element type. */
export interface TableShape {
  readonly name: string
  /** [rows, width], or [width] for a vector. */
  readonly shape: readonly number[]
  readonly dtype: FloatDtype
}

export interface TablePlace extends TableShape {
  readonly pointer: number
}

/** One version of a model's tables, with scratch space for each thread, in one memory. Can be posted. */
export interface SharedTables {
  readonly memory: WebAssembly.Memory
  readonly places: readonly TablePlace[]
  readonly workspaces: readonly WorkspaceLayout[]
}

/** Most bytes that aligning an allocation to a cache line can cost. */
const ALIGNMENT_SLACK = 64

export function bytesOfAll(tables: readonly TableShape[]): number {
  return tables.reduce((sum, table) => sum + byteLength(table), 0)
}

/**
 * Memory for tables, and for the scratch space of `threads` threads that work on rows of `dim` elements.
 *
 * @throws RangeError where tables and scratch space exceed the 4 GiB of a 32-bit memory, or the system has not as
 * much
 */
export function allocateTables(tables: readonly TableShape[], dim: number, threads: number): SharedTables {
  const scratch = threads * (workspaceBytes(dim) + ALIGNMENT_SLACK)
  const memory = ModelMemory.create(bytesOfAll(tables) + tables.length * ALIGNMENT_SLACK + scratch)
  const places = tables.map((table) => ({ ...table, pointer: memory.allocate(byteLength(table)) }))
  const workspaces = Array.from({ length: threads }, () => allocateWorkspace(memory, dim))
  return { memory: memory.memory, places, workspaces }
}

/** A table's numbers, as they are stored, in an attached memory. */
export function numbersOf(memory: ModelMemory, place: TablePlace): StoredNumbers {
  const bytes = memory.bytes(place.pointer, byteLength(place))
  return numbersIn(bytes, place.dtype, elementCount(place.shape))
}

/** The bytes of a table, in any thread: little-endian elements, row-major. */
export function bytesOf({ memory }: SharedTables, place: TablePlace): Uint8Array<SharedArrayBuffer> {
  return new ModelMemory(memory).bytes(place.pointer, byteLength(place))
}

/** The same as numbers, of a table in float32. */
export function float32Of(tables: SharedTables, place: TablePlace): Float32Array {
  const { buffer, byteOffset, byteLength } = bytesOf(tables, place)
  return new Float32Array(buffer, byteOffset, byteLength / 4)
}

/** Whether two versions lay their tables out alike: then the memory of one can hold the other. */
export function sameLayout(a: readonly TableShape[], b: readonly TableShape[]): boolean {
  return a.length === b.length && a.every((table, i) => sameShape(table, b[i]))
}

export function sameShape(a: TableShape, b: TableShape): boolean {
  return a.name === b.name && a.dtype === b.dtype && a.shape.join() === b.shape.join()
}
