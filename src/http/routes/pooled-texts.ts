import type { FastifyRequest } from 'fastify'
import type { Model } from '../../first-layer/embeddings/model.js'
import { Pool } from '../../first-layer/pooling/pool.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import type { Models } from '../../models/library/models.js'
import { EmbeddingIds, pooledDocuments } from '../../requests/embedding-ids.js'
import type { StoredVectors } from '../../requests/stored-vectors.js'
import type { Given } from '../../wire/given.js'
import type { VectorList } from '../../wire/vectors-json.js'
import { leased } from '../lifetime/lease.js'

/** What a request asks of a static model, whatever its protocol. */
export interface AskedTexts {
  /** Id of the model; undefined: the default one. */
  readonly id: string | undefined
  /** The model's, with what the request changes of it. */
  readonly pooling: Pooling
  readonly input: Given
  /** The request's fields that have texts and ids, for messages. */
  readonly fields: { readonly texts: string; readonly ids: string }
}

/** The texts of a request as ids, and the model that embeds them. */
export interface PooledTexts {
  readonly model: Model
  readonly ids: EmbeddingIds
  readonly numTokens: number
  /** Makes embedding i as it is stored. */
  vectors(dimensions: number, stored: StoredVectors): VectorList['vector']
}

/**
 * Leases the model and makes ids of the texts.
 *
 * @throws InletError what leases and tokenizers refuse, `token_out_of_range`
 */
export async function pooledTexts(
  request: FastifyRequest,
  models: Models,
  { id, pooling, input, fields }: AskedTexts,
): Promise<PooledTexts> {
  const model = await leased(request, models, id)
  const started = performance.now()
  request.trace?.enter('tokenize')
  const documents = await pooledDocuments(model, pooling, input, fields, request.claim)
  const ids = new EmbeddingIds(documents, pooling)
  const numTokens = ids.total
  request.figures = { numTokens, tokenizeMs: performance.now() - started }
  return {
    ...{ model, ids, numTokens },
    vectors(dimensions, stored) {
      const pool = new Pool(model, pooling, dimensions)
      const store = stored.of(model)
      return function* (i) {
        return store(yield* pool.embedding(ids.at(i)))
      }
    },
  }
}
