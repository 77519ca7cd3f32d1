import { type Config, ConfigError } from './config.js'
import { ownPosition } from './embeddings/architectures/own-position.js'
import { namedArchitecture } from './embeddings/architectures/registry.js'
import type { ModelSpec } from './embeddings/model.js'
import { bindPositionEmbedding } from './embeddings/positions/position-embedding.js'
import type { TableSpec } from './embeddings/tables.js'
import { loadEncoding } from './tokens/encoding.js'
import { ENCODINGS } from './tokens/registry.js'

/** Sizes and seed of the model's tables: all that drawing them takes, and known before anything is loaded. */
export function tableSpec(config: Config): TableSpec {
  return {
    vocabSize: config.VOCAB_SIZE ?? ENCODINGS[config.ENCODING].vocabSize,
    embeddingDim: config.EMBEDDING_DIM,
    maxPositionEmbeddings: config.MAX_POSITION_EMBEDDINGS,
    typeVocabSize: config.TYPE_VOCAB_SIZE,
    seed: config.SEED,
    initStd: config.INIT_STD,
  }
}

/**
 * The model that a configuration describes, apart from its numbers. Every thread makes the same.
 *
 * @throws ConfigError where the parts do not go together
 */
export async function modelSpec(config: Config): Promise<ModelSpec> {
  const architecture = namedArchitecture(config.ARCHITECTURE)
  const spec = {
    ...tableSpec(config),
    id: 'default',
    encoding: await loadEncoding(config.ENCODING),
    architecture,
    position:
      config.POSITION_EMBEDDING === undefined
        ? ownPosition(architecture)
        : bindPositionEmbedding(config.POSITION_EMBEDDING),
  }
  refuseImpossible(spec)
  return spec
}

/** A scheme that could serve no request is a mistake in the configuration. */
function refuseImpossible({ position, embeddingDim, maxPositionEmbeddings }: ModelSpec): void {
  const problem = position.check({ length: 1, offset: 0, embeddingDim, maxPositionEmbeddings })
  if (problem === undefined) return
  throw new ConfigError(
    `POSITION_EMBEDDING or ARCHITECTURE with EMBEDDING_DIM ${embeddingDim}: ${problem.message}`,
  )
}
