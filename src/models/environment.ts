import type { ModelCard } from '../first-layer/cards/model-card.js'
import { parametersOf, seedCard } from '../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../first-layer/embeddings/table-memory.js'
import { InletError } from '../first-layer/errors.js'
import { usableMemory } from './usable-memory.js'
import { ConfigError, type ModelVariables } from './variables.js'

export const ENVIRONMENT_ID = 'default'

/** The default of `MAX_TABLE_BYTES`, as a share of memory. */
const SHARE_OF_MEMORY = 1 / 2

/** The card of the model that the environment describes. @throws ConfigError if variables contradict each other */
export function environmentCard(config: ModelVariables): ModelCard {
  try {
    return seedCard(ENVIRONMENT_ID, {
      encoding: config.ENCODING,
      vocab_size: config.VOCAB_SIZE,
      embedding_dim: config.EMBEDDING_DIM,
      max_position_embeddings: config.MAX_POSITION_EMBEDDINGS,
      type_vocab_size: config.TYPE_VOCAB_SIZE,
      seed: config.SEED,
      init_std: config.INIT_STD,
      architecture: config.ARCHITECTURE,
      position_embedding: config.POSITION_EMBEDDING,
    })
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    const { EMBEDDING_DIM } = config
    throw new ConfigError(
      `POSITION_EMBEDDING or ARCHITECTURE with EMBEDDING_DIM ${EMBEDDING_DIM}: ${error.message}`,
    )
  }
}

export function maxTableBytes({ MAX_TABLE_BYTES }: Pick<ModelVariables, 'MAX_TABLE_BYTES'>): number {
  return MAX_TABLE_BYTES ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}

/** @throws InletError `insufficient_memory` for a model whose tables alone are beyond `MAX_TABLE_BYTES` */
export function checkFits(card: ModelCard, config: Pick<ModelVariables, 'MAX_TABLE_BYTES'>): void {
  const [bytes, most] = [bytesOfAll(parametersOf(card)), maxTableBytes(config)]
  if (bytes > most) throw tooLarge(bytes, most)
}

export function tooLarge(needed: number, allowed: number): InletError {
  const message = `All tables together must be at most ${allowed} bytes, MAX_TABLE_BYTES. They would be ${needed}.`
  return new InletError('insufficient_memory', message)
}
