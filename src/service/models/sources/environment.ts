import type { CardFields } from '../../../first-layer/cards/card-json.js'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { seedCard } from '../../../first-layer/cards/seed-card.js'
import { ConfigError, InletError } from '../../answer/error-table.js'
import { usableMemory } from '../../process/usable-memory.js'

/** Id of the model that the environment describes. */
export const ENVIRONMENT_ID = 'default'

/** The default of `MAX_TABLE_BYTES`, as a share of memory. */
const SHARE_OF_MEMORY = 1 / 2

/** The variables that describe the environment's model. */
export interface ModelVariables {
  readonly ENCODING: CardFields['encoding']
  readonly VOCAB_SIZE?: number | undefined
  readonly EMBEDDING_DIM: number
  readonly MAX_POSITION_EMBEDDINGS: number
  readonly TYPE_VOCAB_SIZE: number
  readonly SEED: bigint
  readonly INIT_STD: number
  readonly ARCHITECTURE: string
  readonly POSITION_EMBEDDING?: CardFields['position_embedding']
}

/** The variable that limits all tables together. */
export interface TableLimit {
  readonly MAX_TABLE_BYTES?: number | undefined
}

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

export function maxTableBytes({ MAX_TABLE_BYTES }: TableLimit): number {
  return MAX_TABLE_BYTES ?? Math.floor(usableMemory() * SHARE_OF_MEMORY)
}
