import { InletError, quoted, shownShape } from '../errors.js'
import { ModelMemory } from '../kernels/model-memory.js'
import { PAUSE, type Steps } from '../steps.js'
import type { SafetensorsHeader, StoredTensor } from '../tensors/safetensors/header.js'
import { type CheckpointMetadata, readMetadata } from './checkpoint.js'
import { type LearnableName, POSITION_TABLE, type TableSizes, TOKEN_TABLE } from './gradient-call.js'
import { Learner } from './learner.js'
import { LearningMemory } from './learning-memory.js'
import type { LearningTable } from './learning-table.js'
import { readOptimizer } from './optimizer-options.js'
import { RowSums } from './row-sums.js'
import { Writers } from './writers.js'

/**
 * Room for rows of gradients, in tables: pending gradients, the sums of a call, and one held part. Unused room takes
 * no physical memory. The memory never grows, because growth makes V8 replace the buffers by which other code
 * identifies memories.
 */
const GRADIENT_TABLES = 3
/** Bytes that aligning tables and states can cost. */
const SLACK = 1024
/** A memory's 4 GiB without the kernels' page. */
const MOST_BYTES = 2 ** 32 - 65_536
/** Room for rows of the smallest tables. */
const LEAST_ROOM = 1 << 24

/** A table of a model, by its sizes. */
export interface LearnableTable {
  readonly name: LearnableName
  readonly rows: number
  /** C */
  readonly dim: number
}

/**
 * A learner in a new memory, whose tables are zero: the caller fills them, and runs `begin`.
 *
 * @param optimizer as JSON: `{ type: 'sgd', lr: 0.1 }`
 * @param held the tables that the model has of `wte.weight` and `wpe.weight`
 * @throws InletError `invalid_request` for the optimizer
 * @throws RangeError where tables and states exceed the 4 GiB of a memory, or the system has not as much
 */
export function newLearner(
  optimizer: Readonly<Record<string, unknown>>,
  held: readonly LearnableTable[],
  writers?: Writers,
): Learner {
  const read = readOptimizer(optimizer, Object.fromEntries(held.map(({ name, rows }) => [name, rows])))
  const learned = held.filter(({ name }) => read.tables.includes(name))
  const widest = Math.max(...learned.map(({ dim }) => dim))
  const tables = learned.reduce((sum, { rows, dim }) => sum + 4 * rows * dim, 0)
  const states = tables * read.law.states(read.options).length
  const fixed = tables + states + LearningMemory.scratchBytes(widest) + SLACK
  const room = Math.min(GRADIENT_TABLES * tables + LEAST_ROOM, Math.max(0, MOST_BYTES - fixed))
  const memory = ModelMemory.create(fixed + room)
  const places = learned.map((table) => ({ ...table, pointer: memory.allocate(4 * table.rows * table.dim) }))
  const sizes: TableSizes = Object.fromEntries(
    held.map(({ name, rows, dim }) => [name, { rows, dim, isLearned: read.tables.includes(name) }]),
  )
  return new Learner(new LearningMemory(memory, widest), read, places, sizes, writers)
}

/** Bytes that are read at once. */
const BLOCK_BYTES = 1 << 20

/** A checkpoint's header, and its tensors' bytes. */
export interface CheckpointFile {
  readonly header: SafetensorsHeader
  /** Reads the data from `start` on: the bytes of a tensor from its own `start`. */
  read(start: number, out: Uint8Array): void
}

/**
 * A learner as it was when its checkpoint was written: its next step gives the same bits.
 *
 * @throws InletError `invalid_request` that names the tensor or the field
 */
export function* restoreLearner(file: CheckpointFile): Steps<Learner> {
  const metadata = readMetadata(file.header.metadata)
  const reader = new TensorReader(file)
  const held = [TOKEN_TABLE, POSITION_TABLE].flatMap((name) => {
    const shape = reader.find(name)?.shape
    return shape?.length === 2 ? [{ name: name as LearnableName, rows: shape[0], dim: shape[1] }] : []
  })
  if (held.length === 0) throw wrong(TOKEN_TABLE, 'must be there, F32 [V, C]', 'nothing')
  const learner = newLearner(metadata.optimizer, held, new Writers(metadata.writers))
  yield* learner.begin()
  for (const table of learner.tables) yield* restoreTable(reader, table, metadata)
  learner.step = metadata.step
  learner.pending = metadata.pending
  for (let index = 1; index <= metadata.parts; index++) yield* restorePart(reader, learner, index, metadata)
  reader.checkAllAsked()
  return learner
}

function* restoreTable(
  reader: TensorReader,
  table: LearningTable,
  { optimizerSteps }: CheckpointMetadata,
): Steps<void> {
  const { name, rows, dim } = table.place
  yield* reader.readInto(name, [rows, dim], table.numbers())
  table.steps = optimizerSteps[name] ?? 0
  for (const state of table.hasState ? table.stateNames : []) {
    yield* reader.readInto(`optimizer.${name}.${state}`, [table.learningRows, dim], table.state(state))
  }
  const came = reader.rows(`gradients.${name}.rows`, table)
  if (came === undefined) return
  const placeOf = new Map(Array.from({ length: table.learningRows }, (_, i) => [table.rowAt(i), i]))
  const tensor = reader.checked(`gradients.${name}`, 'F32', [table.learningRows, dim])
  for (const row of came) {
    const numbers = new Float32Array(dim)
    reader.read(tensor.start + 4 * dim * (placeOf.get(row) as number), numbers)
    table.pending.changed(row).set(numbers)
  }
  table.isPending = true
}

/** Restores a held part of an incomplete set, if the checkpoint has it. */
function* restorePart(
  reader: TensorReader,
  learner: Learner,
  index: number,
  { parts: count }: CheckpointMetadata,
): Steps<void> {
  const sums = new Map<LearnableName, RowSums>()
  for (const table of learner.tables) {
    const { name, rows: tableRows, dim } = table.place
    const rows = reader.rows(`parts.${index}.${name}.rows`, table)
    if (rows === undefined) continue
    yield PAUSE
    const tensor = reader.checked(`parts.${index}.${name}`, 'F32', [rows.length, dim])
    const restored = new RowSums(learner.memory, tableRows, dim)
    for (const [i, row] of rows.entries()) {
      const numbers = new Float32Array(dim)
      reader.read(tensor.start + 4 * dim * i, numbers)
      restored.changed(row).set(numbers)
    }
    sums.set(name, restored)
  }
  if (sums.size > 0) learner.parts.add({ index, count }, sums)
}

class TensorReader {
  readonly #asked = new Set<string>()

  constructor(private readonly file: CheckpointFile) {}

  /**
   * Refuses tensors that were not read, which would otherwise be lost silently: Adam's state under `sgd`, gradients
   * without rows.
   */
  checkAllAsked(): void {
    const other = this.file.header.tensors.find(({ name }) => !this.#asked.has(name))
    if (other === undefined) return
    throw wrong(
      other.name,
      'must not be there beside this optimizer and these tensors',
      shownShape(other.shape),
    )
  }

  find(name: string): StoredTensor | undefined {
    this.#asked.add(name)
    return this.file.header.tensors.find((tensor) => tensor.name === name)
  }

  checked(name: string, dtype: string, shape: readonly number[]): StoredTensor {
    const tensor = this.find(name)
    const rule = `must be ${dtype} ${shownShape(shape)}`
    if (tensor === undefined) throw wrong(name, rule, 'nothing')
    if (tensor.dtype === dtype && tensor.shape.join() === shape.join()) return tensor
    throw wrong(name, rule, `${tensor.dtype} ${shownShape(tensor.shape)}`)
  }

  read(start: number, numbers: Float32Array | Int32Array): void {
    this.file.read(start, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
  }

  *readInto(name: string, shape: readonly number[], numbers: Float32Array): Steps<void> {
    const { start } = this.checked(name, 'F32', shape)
    for (let at = 0; at < numbers.length; at += BLOCK_BYTES / 4) {
      yield PAUSE
      this.read(start + 4 * at, numbers.subarray(at, at + BLOCK_BYTES / 4))
    }
  }

  /** Ids of rows of a table that learn, each once; undefined where there is no such tensor. */
  rows(name: string, table: LearningTable): Int32Array | undefined {
    const tensor = this.find(name)
    if (tensor === undefined) return undefined
    this.checked(name, 'I32', [tensor.shape[0] ?? 0])
    const rows = new Int32Array(tensor.shape[0])
    this.read(tensor.start, rows)
    const { learns = () => true } = table
    const isRight = rows.every((row) => row >= 0 && row < table.place.rows && learns(row))
    if (isRight && new Set(rows).size === rows.length) return rows
    throw wrong(name, 'must be rows that learn, each once', 'others')
  }
}

function wrong(name: string, rule: string, given: string): InletError {
  return new InletError('invalid_request', `${quoted(name)} ${rule}. Given: ${given}`, name)
}
