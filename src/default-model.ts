import { type Config, ConfigError } from './config.js'
import { ownPosition } from './embeddings/architectures/own-position.js'
import { namedArchitecture } from './embeddings/architectures/registry.js'
import type { ModelSpec } from './embeddings/model.js'
import { bindPositionEmbedding } from './embeddings/positions/position-embedding.js'
import { loadEncoding } from './tokens/encoding.js'

/**
 * The model that a configuration describes, apart from its numbers. Every thread makes the same.
 *
 * @throws ConfigError where the parts do not go together
 */
export async function modelSpec(config: Config): Promise<ModelSpec> {
  const architecture = namedArchitecture(config.ARCHITECTURE)
  const encoding = await loadEncoding(config.ENCODING)
  const spec = {
    id: 'default',
    encoding,
    vocabSize: config.VOCAB_SIZE ?? encoding.vocabSize,
    embeddingDim: config.EMBEDDING_DIM,
    maxPositionEmbeddings: config.MAX_POSITION_EMBEDDINGS,
    typeVocabSize: config.TYPE_VOCAB_SIZE,
    seed: config.SEED,
    initStd: config.INIT_STD,
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
