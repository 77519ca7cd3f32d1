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
import type { LearnableTable } from '../../first-layer/learning/new-learner.js'
import { runBlocks } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import {
  FLOAT_DTYPES,
  type SafetensorsHeader,
  type StoredTensor,
} from '../../first-layer/tensors/safetensors/header.js'
import {
  type SafetensorsFile,
  safetensorsFile,
} from '../../first-layer/tensors/safetensors/safetensors-file.js'
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
 */
export function checkpointFile(learner: Learner, present: SharedTables, version: number): SafetensorsFile {
  const places = learnablePlaces(present).map(({ place }) => place)
  return fileWith(learner, present, version, places)
}

/** The same with the model's card and all its tables, so that nothing else is needed to serve it. */
export function wholeFile(
  learner: Learner,
  present: SharedTables,
  version: number,
  card: ModelCard,
): SafetensorsFile {
  return fileWith(learner, present, version, present.places, { card: JSON.stringify(storedCard(card)) })
}

/** The tables of such a file, and where they are in it. */
export function tablesIn({ tensors }: SafetensorsHeader): readonly (TableShape & StoredTensor)[] {
  return tensors
    .filter(({ name }) => !OF_THE_LEARNER.test(name))
    .map((tensor) => ({ ...tensor, dtype: FLOAT_DTYPES[tensor.dtype]! }))
}

function fileWith(
  learner: Learner,
  present: SharedTables,
  version: number,
  places: readonly TablePlace[],
  more: Readonly<Record<string, string>> = {},
): SafetensorsFile {
  const learned: readonly string[] = learner.optimizer.tables
  const others = places
    .filter(({ name }) => !learned.includes(name))
    .map((place) => tableTensor(place, bytesOf(present, place)))
  const metadata = { ...writeMetadata(learner), model_version: String(version), ...more }
  return safetensorsFile(metadata, [...checkpointTensors(learner), ...others])
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
  /** What is left of the last block. */
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
