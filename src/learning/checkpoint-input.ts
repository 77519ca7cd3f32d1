import { InletError, quoted, shownShape } from '../errors.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { Learner } from '../first-layer/learning/learner.js'
import type { CheckpointFile } from '../first-layer/learning/restore.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
} from '../first-layer/tensors/safetensors/header.js'
import { learnablePlaces, tablesIn } from './snapshot.js'

/** Reads the tables that do not learn. */
export function readOthers(
  checkpoint: CheckpointFile,
  { optimizer }: Learner,
): ReadonlyMap<string, Uint8Array> {
  const learned: readonly string[] = optimizer.tables
  const others = tablesIn(checkpoint.header).filter(({ name }) => !learned.includes(name))
  return new Map(
    others.map(({ name, start, end }) => {
      const bytes = new Uint8Array(end - start)
      checkpoint.read(start, bytes)
      return [name, bytes]
    }),
  )
}

/** A file's header, and its data. */
export function openCheckpoint(file: Uint8Array): CheckpointFile {
  try {
    const start = LENGTH_BYTES + headerLength(file)
    return {
      header: parseHeader(file.slice(LENGTH_BYTES, start), file.length - start),
      read(from, out) {
        out.set(file.subarray(start + from, start + from + out.length))
      },
    }
  } catch (error) {
    if (!(error instanceof SafetensorsError)) throw error
    throw new InletError('invalid_request', `The body must be a safetensors file. ${error.message}`)
  }
}

/** @throws InletError `invalid_request` for a checkpoint of another model's sizes */
export function checkTables({ header }: CheckpointFile, present: SharedTables): void {
  for (const { name, rows, dim } of learnablePlaces(present)) {
    const tensor = header.tensors.find((each) => each.name === name)
    if (tensor?.dtype === 'F32' && tensor.shape.join() === [rows, dim].join()) continue
    const given = tensor === undefined ? 'nothing' : `${tensor.dtype} ${shownShape(tensor.shape)}`
    const message = `${quoted(name)} must be F32 ${shownShape([rows, dim])}, as the model’s. Given: ${given}`
    throw new InletError('invalid_request', message, name)
  }
}
