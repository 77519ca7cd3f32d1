import { cardFields } from '../first-layer/cards/card-json.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { parametersOf, seedCard } from '../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../first-layer/embeddings/table-memory.js'
import { InletError } from '../first-layer/errors.js'
import { usableMemory } from './usable-memory.js'
import { ConfigError, type ModelVariables } from './variables.js'

export const ENVIRONMENT_ID = 'default'

/** The default of `MAX_TABLE_BYTES`, as a share of memory. */
const SHARE_OF_MEMORY = 1 / 2

/** A card's fields, as the environment calls them. */
type CardVariable = Uppercase<keyof typeof cardFields>

/** The card of the model that the environment describes. @throws ConfigError if variables contradict each other */
export function environmentCard(config: ModelVariables): ModelCard {
  try {
    const fields = Object.keys(cardFields).map((name) => [name, config[name.toUpperCase() as CardVariable]])
    return seedCard(ENVIRONMENT_ID, Object.fromEntries(fields))
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
