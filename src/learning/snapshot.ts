import type { TablePlace } from '../first-layer/embeddings/table-memory.js'
import { bytesOf, type SharedTables } from '../first-layer/embeddings/table-memory.js'
import { checkpointTensors, tensorOver } from '../first-layer/learning/checkpoint.js'
import { writeMetadata } from '../first-layer/learning/checkpoint-metadata.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from '../first-layer/learning/gradient-call.js'
import type { Learner } from '../first-layer/learning/learner.js'
import type { LearnableTable } from '../first-layer/learning/new-learner.js'
import { runBlocks } from '../first-layer/steps.js'
import { type SafetensorsFile, safetensorsFile } from '../first-layer/tensors/safetensors/safetensors-file.js'

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
  const others = learnablePlaces(present)
    .filter(({ name }) => !learner.optimizer.tables.includes(name))
    .map(({ name, rows, dim, place }) => {
      const { buffer, byteOffset } = bytesOf(present, place)
      return tensorOver(name, [rows, dim], new Float32Array(buffer, byteOffset, rows * dim))
    })
  const metadata = { ...writeMetadata(learner), model_version: String(version) }
  return safetensorsFile(metadata, [...checkpointTensors(learner), ...others])
}

/** Writes a file into memory that has its bytes. */
export function writeFile(file: SafetensorsFile, target: Uint8Array): void {
  let at = 0
  for (const block of runBlocks(file.blocks())) {
    target.set(block, at)
    at += block.length
  }
}
