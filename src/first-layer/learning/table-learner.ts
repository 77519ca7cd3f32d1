import {
  bytesOf,
  float32Of,
  type SharedTables,
  type TablePlace,
  type TableShape,
} from '../embeddings/table-memory.js'
import type { Written } from '../tensors/blocks.js'
import { FLOAT_DTYPES, type SafetensorsHeader } from '../tensors/safetensors/header.js'
import { checkpointFile, restoreLearner } from './checkpoint.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from './gradient-call.js'
import { Learner } from './learner.js'
import type { LearnableTable } from './learning-table.js'
import type { Optimizer } from './optimizer-options.js'
import { type TensorFile, TensorReader, tensorOver } from './tensor-file.js'

// A learner beside the shared tables of a model, of which readers have one copy: `present`.

/** How far a learner is, and the bytes of its memory. */
export interface LearnerState {
  readonly progress: ReturnType<Learner['describe']>
  readonly bytes: { readonly tables: number; readonly states: number; readonly gradients: number }
}

/** A table that could learn, float32 [rows, C], where readers have it. */
interface LearnablePlace extends LearnableTable {
  readonly place: TablePlace
}

/** The tables of a model that can learn. */
export function learnablePlaces({ places }: SharedTables): readonly LearnablePlace[] {
  return [TOKEN_TABLE, POSITION_TABLE].flatMap((name) => {
    const place = places.find((each) => each.name === name)
    if (place === undefined) return []
    const [rows, dim] = place.shape as [number, number]
    return [{ name: name as LearnableName, rows, dim, place }]
  })
}

/** Bytes that a learner takes before gradients come: its own tables, and the optimizer's states. */
export function firstBytes({ tables, law, options, rows }: Optimizer, present: SharedTables) {
  const bytes = { tables: 0, states: 0, gradients: 0 }
  for (const { name, rows: tableRows, dim } of learnablePlaces(present)) {
    if (!tables.includes(name)) continue
    const learning = name === TOKEN_TABLE && rows !== undefined ? rows.length : tableRows
    bytes.tables += 4 * tableRows * dim
    bytes.states += law.states(options).length * 4 * learning * dim
  }
  return bytes
}

/** @throws as `Learner` */
export function beginLearner(optimizer: Readonly<Record<string, unknown>>, present: SharedTables): Learner {
  const learner = new Learner(optimizer, learnablePlaces(present))
  for (const { name, place } of learnablePlaces(present))
    learner.table(name)?.numbers.set(float32Of(present, place))
  return learner
}

/** The model's tables in a checkpoint of all of it. */
export function tablesIn({ tensors }: SafetensorsHeader): readonly TableShape[] {
  return tensors
    .filter(({ name }) => !/^(optimizer|gradients)\./.test(name))
    .map(({ name, shape, dtype }) => ({ name, shape, dtype: FLOAT_DTYPES[dtype] }))
}

/**
 * @param copy gets the tables
 * @param present has what the file has not
 * @throws InletError `invalid_request` that names what is wrong in the file; RangeError as `Learner`
 */
export function restoreInto(file: TensorFile, copy: SharedTables, present?: SharedTables): Learner {
  const tensors = new TensorReader(file)
  const stored = copy.places.map(({ name, shape }) =>
    present === undefined || tensors.find(name) ? tensors.needed(name, ['F32'], shape) : undefined,
  )
  const learner = restoreLearner(tensors, learnablePlaces(copy))
  for (const [i, place] of copy.places.entries()) {
    if (stored[i] !== undefined) tensors.readInto(stored[i], bytesOf(copy, place))
    else copyTable(present!, copy, place)
  }
  return learner
}

export function stateOf(learner: Learner): LearnerState {
  const { tables, stateBytes: states, gradientBytes: gradients } = learner
  const tableBytes = tables.reduce((sum, { numbers }) => sum + numbers.byteLength, 0)
  return { progress: learner.describe(), bytes: { tables: tableBytes, states, gradients } }
}

/**
 * Makes a step, as `Learner.apply`, and brings a copy that nobody reads up to date.
 *
 * @param since the step that the copy has; undefined: it is new
 */
export function stepInto(
  learner: Learner,
  options: Readonly<Record<string, unknown>>,
  present: SharedTables,
  copy: SharedTables,
  since: number | undefined,
) {
  const answer = learner.apply(options)
  for (const place of copy.places) {
    const table = learner.table(place.name as LearnableName)
    if (table !== undefined) table.copyTo(float32Of(copy, place), since)
    else if (since === undefined) copyTable(present, copy, place)
  }
  return answer
}

/**
 * A checkpoint of this moment: what learns, the model's tables that do not, and the metadata.
 *
 * @param isWhole whether it has tables too that cannot learn: nothing else is needed to serve it
 */
export function checkpointOf(
  learner: Learner,
  present: SharedTables,
  metadata: Readonly<Record<string, string>>,
  isWhole: boolean,
): Written {
  const learned: readonly string[] = learner.optimizer.tables
  const places = isWhole ? present.places : learnablePlaces(present).map(({ place }) => place)
  const others = places
    .filter(({ name }) => !learned.includes(name))
    .map((place) => tensorOver(place, bytesOf(present, place)))
  return checkpointFile(learner, others, metadata)
}

function copyTable(from: SharedTables, to: SharedTables, place: TablePlace): void {
  bytesOf(to, place).set(bytesOf(from, from.places.find(({ name }) => name === place.name)!))
}
