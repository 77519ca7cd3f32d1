import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { seedCard } from '../../../first-layer/cards/seed-card.js'
import { ConfigError, InletError } from '../../answer/error-table.js'
import type { Config } from '../../process/config.js'
import { usableMemory } from '../../process/usable-memory.js'

export const ENVIRONMENT_ID = 'default'

/** The default of `MAX_TABLE_BYTES`, as a share of memory. */
const SHARE_OF_MEMORY = 1 / 2

/** The card of the model that the environment describes. @throws ConfigError if variables contradict each other */
export function environmentCard(config: Config): ModelCard {
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

export function maxTableBytes({ MAX_TABLE_BYTES }: Pick<Config, 'MAX_TABLE_BYTES'>): number {
  return MAX_TABLE_BYTES ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}
