import { ModelMemory } from '../kernels/model-memory.js'
import { TorchGenerator } from '../random/generator.js'
import { fillNormalInSlices } from '../random/normal-slices.js'
import { allocateWorkspace, type WorkspaceLayout, workspaceBytes } from './workspace.js'

/** Sizes and seed of a model's tables. */
export interface TableSpec {
  /** V: rows of `wte.weight`. */
  readonly vocabSize: number
  /** P: rows of `wpe.weight`. */
  readonly maxPositionEmbeddings: number
  /** Rows of `wtt.weight`. */
  readonly typeVocabSize: number
  /** C: elements of a row. */
  readonly embeddingDim: number
  readonly seed: bigint
  readonly initStd: number
}

/** The weights under their names in a checkpoint, in the order in which they are drawn. */
export const TABLE_KEYS = ['wte.weight', 'wpe.weight', 'wtt.weight'] as const
export type TableKey = (typeof TABLE_KEYS)[number]

/** Float32, row-major: [V, C], [P, C], [types, C]. */
export type Tables = Readonly<Record<TableKey, Float32Array>>

/** A model's memory as another thread needs it: the tables, and a workspace for each thread. Can be posted. */
export interface SharedTables {
  readonly memory: WebAssembly.Memory
  readonly pointers: Readonly<Record<TableKey, number>>
  readonly workspaces: readonly WorkspaceLayout[]
}

/** Rows of each table. */
export function tableRows(spec: TableSpec): Readonly<Record<TableKey, number>> {
  return {
    'wte.weight': spec.vocabSize,
    'wpe.weight': spec.maxPositionEmbeddings,
    'wtt.weight': spec.typeVocabSize,
  }
}

/** Bytes of all tables together. */
export function tableBytes(spec: TableSpec): number {
  const rows = Object.values(tableRows(spec)).reduce((sum, count) => sum + count, 0)
  return rows * spec.embeddingDim * Float32Array.BYTES_PER_ELEMENT
}

/**
 * Memory for a model's tables and for the scratch space of `threads` threads.
 *
 * @throws RangeError where they exceed the 4 GiB of a 32-bit memory, naming both sizes
 */
export function allocateTables(spec: TableSpec, threads: number): SharedTables {
  const scratch = threads * (workspaceBytes(spec.embeddingDim) + ALIGNMENT_SLACK)
  const memory = ModelMemory.create(tableBytes(spec) + TABLE_KEYS.length * ALIGNMENT_SLACK + scratch)
  const rows = tableRows(spec)
  const pointerOf = (key: TableKey) => memory.allocate(rows[key] * spec.embeddingDim * 4)
  const pointers = Object.fromEntries(TABLE_KEYS.map((key) => [key, pointerOf(key)])) as Record<
    TableKey,
    number
  >
  const workspaces = Array.from({ length: threads }, () => allocateWorkspace(memory, spec.embeddingDim))
  return { memory: memory.memory, pointers, workspaces }
}

/** What aligning an allocation to a cache line can cost. */
const ALIGNMENT_SLACK = 64

/** The tables as arrays, in any thread. */
export function tablesIn({ memory, pointers }: SharedTables, spec: TableSpec): Tables {
  const attached = new ModelMemory(memory)
  const rows = tableRows(spec)
  const arrayOf = (key: TableKey) => attached.float32(pointers[key], rows[key] * spec.embeddingDim)
  return Object.fromEntries(TABLE_KEYS.map((key) => [key, arrayOf(key)])) as unknown as Tables
}

/**
 * Draws the tables as PyTorch does: `torch.manual_seed(seed)`, then one `nn.Embedding` after the other, from
 * one stream. Yields the share that is done, 0 … 1; other work of the event loop runs in between.
 */
export async function* drawTables(tables: Tables, spec: TableSpec): AsyncGenerator<number, void, void> {
  const generator = new TorchGenerator(spec.seed)
  const total = tableBytes(spec) / Float32Array.BYTES_PER_ELEMENT
  let before = 0
  for (const key of TABLE_KEYS) {
    for await (const done of fillNormalInSlices(generator, tables[key], { std: spec.initStd })) {
      yield (before + done) / total
    }
    before += tables[key].length
  }
}

/** Tables that this thread allocates and draws, with scratch space for `threads` threads. */
export async function drawnTables(spec: TableSpec, threads: number): Promise<SharedTables> {
  const tables = allocateTables(spec, threads)
  for await (const _ of drawTables(tablesIn(tables, spec), spec)) {
    // Other work of the event loop runs in between.
  }
  return tables
}
