import { bytesOf, type SharedTables, type TablePlace, type TableShape } from '../embeddings/table-memory.js'
import { InletError, quoted, shownShape } from '../errors.js'
import {
  FLOAT_DTYPES,
  headerLength,
  LENGTH_BYTES,
  SafetensorsError,
  type SafetensorsHeader,
} from '../tensors/safetensors/header.js'
import { type CheckpointFile, openCheckpoint } from './checkpoint.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from './gradient-call.js'
import type { LearnableTable } from './learning-table.js'
import type { Optimizer } from './optimizer-options.js'

/** Tensors of a checkpoint that are no tables of the model. */
const OF_THE_LEARNER = /^(optimizer|gradients)\./
/** Most bytes of a header, which is parsed in one turn: the optimizer's `rows` are in that of a checkpoint. */
const MAX_HEADER_BYTES = 1 << 20

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

/** The model's tables in a checkpoint of all of it. */
export function tablesIn({ tensors }: SafetensorsHeader): readonly TableShape[] {
  return tensors
    .filter(({ name }) => !OF_THE_LEARNER.test(name))
    .map(({ name, shape, dtype }) => ({ name, shape, dtype: FLOAT_DTYPES[dtype] }))
}

/** @throws InletError `invalid_request` for a checkpoint of another model's sizes */
export function checkTables({ header }: CheckpointFile, { places }: SharedTables): void {
  for (const { name, shape } of places) {
    const tensor = header.tensors.find((each) => each.name === name)
    if (tensor === undefined && name !== TOKEN_TABLE && name !== POSITION_TABLE) continue
    if (tensor?.dtype === 'F32' && tensor.shape.join() === shape.join()) continue
    const given = tensor === undefined ? 'nothing' : `${tensor.dtype} ${shownShape(tensor.shape)}`
    const message = `${quoted(name)} must be F32 ${shownShape(shape)}, as the model’s. Given: ${given}`
    throw new InletError('invalid_request', message, name)
  }
}

/** Fills tables with those of a checkpoint. @param present has what the checkpoint has not */
export function fillTables(
  { header, read }: CheckpointFile,
  tables: SharedTables,
  present?: SharedTables,
): void {
  for (const place of tables.places) {
    const stored = header.tensors.find(({ name }) => name === place.name)
    if (stored !== undefined) read(stored.start, bytesOf(tables, place))
    else
      bytesOf(tables, place).set(bytesOf(present!, present!.places.find(({ name }) => name === place.name)!))
  }
}

/** A safetensors file that a caller has sent. @throws InletError `invalid_request` for another one */
export function receivedFile(file: Uint8Array): CheckpointFile {
  try {
    const length = headerLength(file.slice(0, LENGTH_BYTES))
    if (length <= MAX_HEADER_BYTES) return openCheckpoint(file)
    throw new SafetensorsError(`The header must be at most ${MAX_HEADER_BYTES} bytes. Given: ${length}`)
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}
