import { memory } from '@tensorflow/tfjs-core'
import { InletError } from '../errors.js'
import { STORAGE } from '../kernels/kernels.js'
import { ModelMemory } from '../kernels/model-memory.js'
import type { LookupCard } from '../lookups/lookup-card.js'
import type { Lookups } from '../lookups/ngram-rows.js'
import type { FloatDtype } from '../tensors/named-tensor.js'
import { widened } from '../tensors/sixteen-bits.js'
import type { Tokenizer } from '../tokens/tokenizer.js'
import type { Architecture } from './architectures/registry.js'
import { useWorkspace } from './backends/cpu.js'
import { type StoredNumbers, type Table, tableOver } from './op.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { PositionRequest, Prepared } from './positions/scheme.js'
import {
  bytesOfAll,
  numbersOf,
  type SharedTables,
  TABLE_NAMES,
  type TableName,
  type TablePlace,
} from './table-memory.js'
import { Workspace } from './workspace.js'

/** Sizes, types and schemes of a model: everything but its numbers. */
export interface ModelSpec {
  readonly id: string
  /** V: rows of `wte.weight`. */
  readonly vocabSize: number
  /** C: elements of a row of `wte.weight`. */
  readonly embeddingDim: number
  /** Elements of a row of `input_embeddings`: C, unless the first layer projects. */
  readonly hiddenSize: number
  /** P: rows of `wpe.weight`. */
  readonly maxPositionEmbeddings: number
  /** Positions that the model runs with: more than P where its scheme is stretched. 0: not known. */
  readonly longestContext: number
  /** Rows of `wtt.weight`. */
  readonly typeVocabSize: number
  /** Element type of the tables. */
  readonly dtype: FloatDtype
  readonly architecture: Architecture
  /** The model was read from a checkpoint, whose first layer is the only one that it has. */
  readonly isCheckpoint: boolean
  /** The id that fills padded slots by default; undefined: a request must name one. */
  readonly padTokenId: number | undefined
  readonly position: PositionEmbedding
  readonly tokenizer: Tokenizer
  /** What the model looks up or takes beside a token's row. */
  readonly lookups?: LookupCard | undefined
  /** Why the model has no tables; undefined: it has. */
  readonly tablesUnavailable?: string | undefined
}

/** One version of a model, as a thread takes it into use. */
export interface ModelParts {
  readonly spec: ModelSpec
  /** The number of its tables' version, `"1"` and up. */
  readonly version: string
  readonly tables: SharedTables
  /** This thread's index into the workspaces. */
  readonly thread: number
  /**
   * A table that the model's own architecture does not use, drawn for a request whose architecture or scheme uses
   * it.
   *
   * @throws InletError `unsupported_combination` where the model has no seed to draw from, or the table would be
   * too large
   */
  drawn(name: TableName): Prepared<Float32Array>
  /** Present where the spec has `lookups`; the model closes it. */
  readonly lookups?: Lookups | undefined
}

/**
 * One version of a model in one thread: its tables as TensorFlow.js tensors over the shared memory, and this
 * thread's scratch space. The tables: `wte.weight` [V, C]; those that the architecture uses of `wpe.weight` [P,
 * C],
 * `wtt.weight` [types, C], `norm.weight` and `norm.bias` [C]; and the learned tables of the position scheme.
 */
export class Model {
  readonly spec: ModelSpec
  readonly version: string
  readonly tableBytes: number
  /** Rows beside a token's own, in files that stay open. */
  readonly lookups: Lookups | undefined
  /** This thread's scratch space. */
  readonly workspace: Workspace
  readonly #parts: ModelParts
  readonly #memory: ModelMemory
  readonly #tables = new Map<string, Table>()
  readonly #values = new Map<string, Float32Array>()
  /** Learned numbers for a position scheme: `PositionRequest.learned`. */
  readonly #learned = (name: string, length: number): Float32Array | undefined => {
    const values = this.values(`position.${name}`)
    return values?.length === length ? values : undefined
  }

  constructor(parts: ModelParts) {
    const { spec, version, tables, thread } = parts
    this.#parts = parts
    this.spec = spec
    this.version = version
    this.lookups = parts.lookups
    this.tableBytes = bytesOfAll(tables.places)
    this.#memory = new ModelMemory(tables.memory)
    this.workspace = new Workspace(this.#memory, tables.workspaces[thread])
    useWorkspace(this.workspace)
    for (const place of tables.places) {
      if (!(TABLE_NAMES as readonly string[]).includes(place.name)) continue
      const numbers = numbersOf(this.#memory, place)
      this.#tables.set(place.name, tableOver(numbers, place.dtype, place.shape[1]))
    }
  }

  /** `wte.weight` [V, C]. @throws InletError `tables_unavailable` */
  get tokenTable(): Table {
    checkHasTables(this.spec)
    return this.#tables.get('wte.weight') as Table
  }

  /** A table that the model holds; undefined where it does not hold that table and {@link drawn} makes it. */
  table(name: TableName): Table | undefined {
    return this.#tables.get(name)
  }

  /** Checks that the table can be had in which a scheme looks up its rows. @throws InletError `unsupported_combination` */
  checkTable({ table }: PositionEmbedding): void {
    if (table !== undefined && this.table(table) === undefined) this.drawn(table)
  }

  /** The numbers of a table that the model does not hold. @throws InletError `unsupported_combination` */
  drawn(name: TableName): Prepared<Float32Array> {
    return this.#parts.drawn(name)
  }

  /** A parameter's place in the model's memory; undefined if the model does not have it. */
  place(name: string): TablePlace | undefined {
    return this.#parts.tables.places.find((place) => place.name === name)
  }

  /** A parameter's numbers as they are stored. */
  numbers(place: TablePlace): StoredNumbers {
    return numbersOf(this.#memory, place)
  }

  /** A parameter's numbers in float32; undefined where the model does not hold it. */
  values(name: string): Float32Array | undefined {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const place = this.place(name)
    if (place === undefined) return undefined
    const values = widened(numbersOf(this.#memory, place), place.dtype)
    this.#values.set(name, values)
    return values
  }

  /**
   * out [n, H] = rows [n, C] · weight [H, C]ᵀ (+ bias [H], where the model has one), in float32. Both arrays lie in the
   * workspace.
   */
  project(out: Float32Array, rows: Float32Array, weightName: string, biasName?: string): void {
    const { kernels, addends } = this.workspace
    const weight = this.place(weightName)
    if (weight === undefined) throw new Error(`${this.spec.id} has no ${weightName}`)
    const bias = biasName === undefined ? undefined : this.place(biasName)
    const [hidden, width] = weight.shape as [number, number]
    const [added, addedType] = [bias?.pointer ?? 0, STORAGE[bias?.dtype ?? 'float32']]
    const [from, count] = [rows.byteOffset, rows.length / width]
    const scratch = addends.byteOffset + addends.byteLength - 4 * width
    const { pointer, dtype } = weight
    const type = STORAGE[dtype]
    kernels.projectRows(out.byteOffset, from, count, width, pointer, type, added, addedType, hidden, scratch)
  }

  /**
   * The request for a position scheme: T = `length` positions from `offset` on. Rows that are added are as wide as the
   * token rows are by then; what goes into attention is as wide as a block.
   */
  positionRequest(position: PositionEmbedding, length: number, offset: number): PositionRequest {
    const { embeddingDim, hiddenSize, maxPositionEmbeddings, architecture } = this.spec
    const { steps, positionIndex } = architecture
    const isNarrow = position.added !== undefined && steps.indexOf('positions') < steps.indexOf('project')
    const isOwn = position.type === this.spec.position.type
    return {
      length,
      offset,
      embeddingDim: isNarrow ? embeddingDim : hiddenSize,
      maxPositionEmbeddings,
      firstRow: isOwn ? positionIndex?.base : undefined,
      zeroRow: isOwn ? positionIndex?.zeroRow : undefined,
      learned: isOwn ? this.#learned : undefined,
    }
  }

  /** Disposes of this thread's tensors, and closes its files. When all threads have done so, the memory is free. */
  dispose(): void {
    for (const { tensor } of this.#tables.values()) tensor.dispose()
    this.lookups?.close()
  }
}

/** Checks that a model has tables to read. @throws InletError `tables_unavailable` */
export function checkHasTables(model: Pick<ModelSpec, 'id' | 'tablesUnavailable'>): void {
  const { id, tablesUnavailable: why } = model
  if (why === undefined) return
  throw new InletError('tables_unavailable', `\`model\` ${id} serves tokens and no rows: ${why}`, 'model')
}

/** How many TensorFlow.js tensors exist in this thread. */
export function tensorCount(): number {
  return memory().numTensors
}

/**
 * The id that fills padded slots: the one given, or the model's own: a checkpoint's, or the encoding's end-of-text.
 *
 * @throws InletError `token_out_of_range` for an id without a row, `invalid_request` where the default has none
 */
export function padToken({ vocabSize, padTokenId }: ModelSpec, given: number | undefined): number {
  const id = given ?? padTokenId
  if (id !== undefined && id < vocabSize) return id
  const below = `below \`vocab_size\` ${vocabSize}`
  if (given !== undefined) {
    const message = `\`pad_token_id\` must be ${below}. Given: ${given}`
    throw new InletError('token_out_of_range', message, 'pad_token_id')
  }
  const own = id === undefined ? 'the model has none' : `the model’s own, ${id}, is not ${below}`
  throw new InletError('invalid_request', `\`pad_token_id\` is needed: ${own}.`, 'pad_token_id')
}
