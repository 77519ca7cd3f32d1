import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import {
  bytesOf,
  type SharedTables,
  type TablePlace,
  type TableShape,
} from '../../first-layer/embeddings/table-memory.js'
import { checkpointTensors, writeMetadata } from '../../first-layer/learning/checkpoint.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from '../../first-layer/learning/gradient-call.js'
import type { Learner } from '../../first-layer/learning/learner.js'
import type { CheckpointFile, LearnableTable } from '../../first-layer/learning/new-learner.js'
import { runBlocks } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import {
  FLOAT_DTYPES,
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
  type SafetensorsHeader,
  type StoredTensor,
} from '../../first-layer/tensors/safetensors/header.js'
import {
  type SafetensorsFile,
  safetensorsFile,
} from '../../first-layer/tensors/safetensors/safetensors-file.js'
import { InletError, quoted, shownShape } from '../../service/answer/error-table.js'
import { storedCard } from './stored-card.js'

/** Bytes of a block. */
const BLOCK_BYTES = 1 << 20
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
 * A checkpoint of this moment: what learns, the model's other table that could, and the metadata. The learner makes no
 * step while it is read.
 *
 * @param present the tables that readers have now
 * @param version of the tables
 * @param card with it the file has all tables of the model too: nothing else is needed to serve it
 */
export function checkpointFile(
  learner: Learner,
  present: SharedTables,
  version: number,
  card?: ModelCard,
): SafetensorsFile {
  const learned: readonly string[] = learner.optimizer.tables
  const places = card === undefined ? learnablePlaces(present).map(({ place }) => place) : present.places
  const others = places
    .filter(({ name }) => !learned.includes(name))
    .map((place) => tableTensor(place, bytesOf(present, place)))
  const whole = card && { card: JSON.stringify(storedCard(card)) }
  const metadata = { ...writeMetadata(learner), model_version: String(version), ...whole }
  return safetensorsFile(metadata, [...checkpointTensors(learner), ...others])
}

/** The tables of such a file, and where they are in it. */
export function tablesIn({ tensors }: SafetensorsHeader): readonly (TableShape & StoredTensor)[] {
  return tensors
    .filter(({ name }) => !OF_THE_LEARNER.test(name))
    .map((tensor) => ({ ...tensor, dtype: FLOAT_DTYPES[tensor.dtype]! }))
}

function tableTensor({ name, shape, dtype }: TableShape, bytes: Uint8Array): NamedTensor {
  return {
    ...{ name, shape, dtype },
    *blocks() {
      for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
    },
  }
}

/** A file whose bytes are asked for some at a time. */
export class FileParts {
  readonly #blocks: Iterator<Uint8Array>
  /** The rest of the last block. */
  #rest: Uint8Array = new Uint8Array()

  constructor(file: SafetensorsFile) {
    this.#blocks = runBlocks(file.blocks())
  }

  /** Fills memory with the next bytes. @returns how many there were */
  fill(target: Uint8Array): number {
    let at = 0
    while (at < target.length) {
      if (this.#rest.length === 0) {
        const { done, value } = this.#blocks.next()
        if (done) break
        this.#rest = value
      }
      const part = this.#rest.subarray(0, target.length - at)
      target.set(part, at)
      this.#rest = this.#rest.subarray(part.length)
      at += part.length
    }
    return at
  }
}

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
