import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import {
  bytesOf,
  type SharedTables,
  type TablePlace,
  type TableShape,
} from '../../first-layer/embeddings/table-memory.js'
import {
  type CheckpointFile,
  checkpointFile,
  openCheckpoint,
  tensorOver,
} from '../../first-layer/learning/checkpoint.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from '../../first-layer/learning/gradient-call.js'
import type { Learner } from '../../first-layer/learning/learner.js'
import type { LearnableTable } from '../../first-layer/learning/learning-table.js'
import {
  FLOAT_DTYPES,
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
} from '../../first-layer/tensors/safetensors/header.js'
import type { SafetensorsFile } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import { InletError, quoted, shownShape } from '../../service/answer/error-table.js'
import { storedCard } from './stored-card.js'

/** Tensors of a checkpoint that are no tables of the model. */
const OF_THE_LEARNER = /^(optimizer|gradients|parts)\./

/** A table that could learn, float32 [rows, C], where readers have it. */
export interface LearnablePlace extends LearnableTable {
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

/**
 * A checkpoint of this moment: what learns, the model's other table that could, and the metadata.
 *
 * @param present the tables that readers have now
 * @param version of the tables
 * @param card with it the file has all tables of the model too: nothing else is needed to serve it
 */
export function modelCheckpoint(
  learner: Learner,
  present: SharedTables,
  version: number,
  card?: ModelCard,
): SafetensorsFile {
  const learned: readonly string[] = learner.optimizer.tables
  const places = card === undefined ? learnablePlaces(present).map(({ place }) => place) : present.places
  const others = places
    .filter(({ name }) => !learned.includes(name))
    .map((place) => tensorOver(place, bytesOf(present, place)))
  const whole = card && { card: JSON.stringify(storedCard(card)) }
  return checkpointFile(learner, others, { model_version: String(version), ...whole })
}

/** The model's tables in such a file. */
export function tablesIn({ tensors }: SafetensorsHeader): readonly TableShape[] {
  return tensors
    .filter(({ name }) => !OF_THE_LEARNER.test(name))
    .map(({ name, shape, dtype }) => ({ name, shape, dtype: FLOAT_DTYPES[dtype]! }))
}

/** Reads a table. */
export function readTable({ header, read }: CheckpointFile, to: SharedTables, place: TablePlace): void {
  read(header.tensors.find(({ name }) => name === place.name)!.start, bytesOf(to, place))
}

/** A checkpoint that a caller has put. @throws InletError `invalid_request` also for one of another model's sizes */
export function receivedCheckpoint(file: Uint8Array, present: SharedTables): CheckpointFile {
  const checkpoint = opened(file)
  for (const { name, rows, dim } of learnablePlaces(present)) {
    const tensor = checkpoint.header.tensors.find((each) => each.name === name)
    if (tensor?.dtype === 'F32' && tensor.shape.join() === [rows, dim].join()) continue
    const given = tensor === undefined ? 'nothing' : `${tensor.dtype} ${shownShape(tensor.shape)}`
    const message = `${quoted(name)} must be F32 ${shownShape([rows, dim])}, as the model’s. Given: ${given}`
    throw new InletError('invalid_request', message, name)
  }
  return checkpoint
}

function opened(file: Uint8Array): CheckpointFile {
  try {
    return openCheckpoint(file)
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}

/** Gives a checkpoint of the disk to `use`, which reads what it needs of it. */
export function withCheckpointFile<Result>(
  path: string,
  use: (checkpoint: CheckpointFile) => Result,
): Result {
  const file = openSync(path, 'r')
  try {
    const read = (position: number, out: Uint8Array) => {
      for (let at = 0; at < out.length; ) {
        const bytes = readSync(file, out, at, out.length - at, position + at)
        if (bytes === 0) throw new Error(`${path} ends at byte ${position + at}, before its tensors do.`)
        at += bytes
      }
      return out
    }
    const start = LENGTH_BYTES + headerLength(read(0, new Uint8Array(LENGTH_BYTES)))
    const json = read(LENGTH_BYTES, new Uint8Array(start - LENGTH_BYTES))
    const header = parseHeader(json, fstatSync(file).size - start)
    return use({ header, read: (from, out) => void read(start + from, out) })
  } finally {
    closeSync(file)
  }
}
