import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { Learner } from '../../first-layer/learning/learner.js'
import type { CheckpointFile } from '../../first-layer/learning/new-learner.js'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
} from '../../first-layer/tensors/safetensors/header.js'
import { InletError, quoted, shownShape } from '../../service/answer/error-table.js'
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
