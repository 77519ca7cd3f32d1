import { checkConflicts, EMBEDDING_OPTIONS, type EmbeddingOptions } from '../first-layer/embedding-plan.js'
import { readPositionEmbedding } from '../first-layer/embeddings/positions/position-embedding.js'
import { invalidField } from '../first-layer/errors.js'

import { readOptions } from '../first-layer/options.js'
import { parseSeed, SEED_RULE } from '../first-layer/random/seed.js'
import type { EmbedOptions } from './api.js'

/**
 * The options of a request, defaults filled in.
 *
 * @throws InletError `invalid_request` for a value out of its range, or a field without the one that it needs
 */
export function readEmbedOptions(given: EmbedOptions): EmbeddingOptions {
  const refuse = (name: string, rule: string): never => {
    throw invalidField(name, rule, given[name as keyof EmbedOptions])
  }
  const {
    seed: asked,
    position_embedding: position,
    architecture,
    outputs,
    allowed_special,
    ngram_context,
    ...plain
  } = given
  const options = readOptions(EMBEDDING_OPTIONS, plain)
  const seed = asked === undefined ? undefined : parseSeed(typeof asked === 'bigint' ? String(asked) : asked)
  if (asked !== undefined && seed === undefined) refuse('seed', SEED_RULE)
  checkConflicts({ ...options, seed }, refuse)
  return {
    ...options,
    ...{ seed, architecture, outputs, ngram_context },
    position_embedding: position === undefined ? undefined : readPositionEmbedding(position),
  }
}
