import { InletError, invalidField, quoted, shownShape } from '../errors.js'
import type { NamedTensor } from '../tensors/named-tensor.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  type SafetensorsHeader,
  type StoredTensor,
} from '../tensors/safetensors/header.js'
import { type SafetensorsFile, safetensorsFile } from '../tensors/safetensors/safetensors-file.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from './gradient-call.js'
import { Learner } from './learner.js'
import type { LearningTable } from './learning-table.js'
import { describeOptimizer } from './optimizer-options.js'
import { RowSums } from './row-sums.js'

const BLOCK_BYTES = 1 << 20

/**
 * A checkpoint: `wte.weight`, `optimizer.wte.weight.exp_avg` as PyTorch calls its states, and, of a table that has gradients,
 * `gradients.wte.weight` as PyTorch's `.grad` and the rows with a gradient, `gradients.wte.weight.rows` int32. Metadata are JSON
 * in strings. The learner makes no step while it is read.
 *
 * @param others the model's tables that do not learn
 * @param more metadata
 */
export function checkpointFile(
  learner: Learner,
  others: readonly NamedTensor[],
  more: Readonly<Record<string, string>> = {},
): SafetensorsFile {
  const { optimizer, tables } = learner
  const metadata = {
    optimizer: JSON.stringify(describeOptimizer(optimizer)),
    step: String(learner.step),
    pending: String(learner.pending),
    optimizer_steps: JSON.stringify(Object.fromEntries(tables.map(({ name, steps }) => [name, steps]))),
    ...more,
  }
  return safetensorsFile(metadata, [...tables.flatMap(tensorsOf), ...others])
}

/** A tensor in memory. */
export function tensorOver(
  { name, shape, dtype }: Pick<NamedTensor, 'name' | 'shape' | 'dtype'>,
  { buffer, byteOffset, byteLength }: ArrayBufferView,
): NamedTensor {
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  return {
    ...{ name, shape, dtype },
    *blocks() {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
    },
  }
}

function tensorsOf(table: LearningTable): readonly NamedTensor[] {
  const { name, rows, dim, learningRows, states } = table
  const float = (id: string, count: number, numbers: Float32Array) =>
    tensorOver({ name: id, shape: [count, dim], dtype: 'float32' }, numbers)
  const stored = table.hasState ? [...states] : []
  return [
    float(name, rows, table.numbers),
    ...stored.map(([state, numbers]) => float(`optimizer.${name}.${state}`, learningRows, numbers)),
    ...(table.isPending ? gradientsOf(table) : []),
  ]
}

/** The gradients of all rows that learn, zeros where none came, and the numbers of the rows that came. */
function gradientsOf(table: LearningTable): readonly NamedTensor[] {
  const { dim, learningRows, pending } = table
  const name = `gradients.${table.name}`
  const most = Math.max(1, Math.floor(BLOCK_BYTES / (4 * dim)))
  const came = Int32Array.from(pending.rows)
  return [
    {
      ...{ name, dtype: 'float32', shape: [learningRows, dim] },
      *blocks() {
        for (let start = 0; start < learningRows; start += most) {
          const count = Math.min(most, learningRows - start)
          const block = new Float32Array(count * dim)
          for (let i = 0; i < count; i++) block.set(pending.numbersOf(table.rowAt(start + i)) ?? [], i * dim)
          yield new Uint8Array(block.buffer)
        }
      },
    },
    tensorOver({ name: `${name}.rows`, shape: [came.length], dtype: 'int32' }, came),
  ]
}

/** A checkpoint's header, and its tensors' bytes. */
export interface CheckpointFile {
  readonly header: SafetensorsHeader
  /** Reads the data from `start` on: the bytes of a tensor from its own `start`. */
  read(start: number, out: Uint8Array): void
}

/** A checkpoint in memory. @throws SafetensorsError */
export function openCheckpoint(file: Uint8Array): CheckpointFile {
  const start = LENGTH_BYTES + headerLength(file)
  return {
    header: parseHeader(file.slice(LENGTH_BYTES, start), file.length - start),
    read: (from, out) => out.set(file.subarray(start + from, start + from + out.length)),
  }
}

/**
 * A learner as it was when its checkpoint was written: its next step gives the same bits.
 *
 * @param tables of the model, which may be in the file although they cannot learn
 * @throws InletError `invalid_request` that names the tensor or the field
 * @throws RangeError as `Learner`
 */
export function restoreLearner(file: CheckpointFile, tables: readonly string[] = []): Learner {
  const { metadata } = file.header
  const optimizer = read(metadata, 'optimizer', isObject, 'an object')
  const step = read(metadata, 'step', isCount, COUNT)
  const pending = read(metadata, 'pending', isCount, COUNT)
  const steps = read(metadata, 'optimizer_steps', isCounts, `an object, each ${COUNT},`)
  const reader = new TensorReader(file, tables)
  const held = [TOKEN_TABLE, POSITION_TABLE].flatMap((name) => {
    const shape = reader.find(name)?.shape
    return shape?.length === 2 ? [{ name: name as LearnableName, rows: shape[0], dim: shape[1] }] : []
  })
  if (held.length === 0) throw wrong(TOKEN_TABLE, 'must be there, F32 [V, C]', 'nothing')
  const learner = new Learner(optimizer, held)
  for (const table of learner.tables) {
    const { name, rows, dim, learningRows } = table
    reader.readInto(name, [rows, dim], table.numbers)
    table.steps = steps[name] ?? 0
    for (const [state, numbers] of table.hasState ? table.states : [])
      reader.readInto(`optimizer.${name}.${state}`, [learningRows, dim], numbers)
    const sums = reader.gradients(table)
    if (sums === undefined) continue
    table.pending.addAll(sums)
    table.isPending = true
  }
  learner.step = step
  learner.pending = pending
  reader.checkAllAsked()
  return learner
}

class TensorReader {
  readonly #asked: Set<string>

  /** @param others names of tensors that others read */
  constructor(
    private readonly file: CheckpointFile,
    others: readonly string[],
  ) {
    this.#asked = new Set(others)
  }

  /**
   * Refuses tensors that were not read, which would otherwise be lost silently: Adam's state under `sgd`, gradients
   * without rows.
   */
  checkAllAsked(): void {
    const other = this.file.header.tensors.find(({ name }) => !this.#asked.has(name))
    if (other === undefined) return
    const rule = 'must not be there beside this optimizer and these tensors'
    throw wrong(other.name, rule, shownShape(other.shape))
  }

  find(name: string): StoredTensor | undefined {
    this.#asked.add(name)
    return this.file.header.tensors.find((tensor) => tensor.name === name)
  }

  readInto(name: string, shape: readonly number[], numbers: Float32Array): void {
    this.#read(this.#checked(name, 'F32', shape).start, numbers)
  }

  /** The gradients of a table's rows that came, each once; undefined where none came. */
  gradients(table: LearningTable): RowSums | undefined {
    const name = `gradients.${table.name}`
    const listed = this.find(`${name}.rows`)
    if (listed === undefined) return undefined
    this.#checked(listed.name, 'I32', [listed.shape[0] ?? 0])
    const rows = new Int32Array(listed.shape[0])
    this.#read(listed.start, rows)
    const { dim } = table
    const isRight = rows.every((row) => row >= 0 && row < table.rows && table.learns(row))
    if (!isRight || new Set(rows).size !== rows.length)
      throw wrong(listed.name, 'must be rows that learn, each once', 'others')
    const { start } = this.#checked(name, 'F32', [table.learningRows, dim])
    const sums = new RowSums(dim)
    sums.reserve(rows)
    const numbers = new Float32Array(dim)
    for (const row of rows) {
      this.#read(start + 4 * dim * table.stateOf(row), numbers)
      sums.add(row, numbers, 0)
    }
    return sums
  }

  #checked(name: string, dtype: string, shape: readonly number[]): StoredTensor {
    const tensor = this.find(name)
    const rule = `must be ${dtype} ${shownShape(shape)}`
    if (tensor === undefined) throw wrong(name, rule, 'nothing')
    if (tensor.dtype === dtype && tensor.shape.join() === shape.join()) return tensor
    throw wrong(name, rule, `${tensor.dtype} ${shownShape(tensor.shape)}`)
  }

  #read(start: number, { buffer, byteOffset, byteLength }: Float32Array | Int32Array): void {
    this.file.read(start, new Uint8Array(buffer, byteOffset, byteLength))
  }
}

function wrong(name: string, rule: string, given: string): InletError {
  return new InletError('invalid_request', `${quoted(name)} ${rule}. Given: ${given}`, name)
}

/** @throws InletError `invalid_request` that names the field */
function read<Value>(
  metadata: Readonly<Record<string, string>>,
  name: string,
  isRight: (value: unknown) => value is Value,
  rule: string,
): Value {
  let value: unknown
  try {
    value = JSON.parse(metadata[name] ?? '')
  } catch {
    // Not the value of any rule.
  }
  if (isRight(value)) return value
  throw invalidField(`__metadata__.${name}`, `must be ${rule} as JSON`, metadata[name])
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Steps and calls of a file: a row's last step is kept in 32 bits. */
const MAX_COUNT = 2 ** 30
const COUNT = 'a whole number from 0 to 2^30'

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_COUNT
}

function isCounts(value: unknown): value is Record<string, number> {
  return isObject(value) && Object.values(value).every(isCount)
}
