import type { FastifyRequest } from 'fastify'
import { waitWithin } from '../../../first-layer/running/wait.js'
import type { HeldTables } from '../../../service/models/library/models.js'
import { whenEnded } from '../../../service/request/request-end.js'
import type { ModelAdminContext } from '../context.js'

/** The present tables of a model with their ETag. */
export interface TaggedTables {
  readonly held: HeldTables
  readonly etag: string
}

/**
 * Holds the present tables of a model until the request has ended and their hash is computed, whichever is later:
 * other requests may wait for the same hash.
 *
 * @throws InletError `model_not_found`, what loading throws, and the error that the claim is aborted with
 */
export function taggedTables(
  request: FastifyRequest,
  id: string,
  { models, tags }: Pick<ModelAdminContext, 'models' | 'tags'>,
): Promise<TaggedTables> {
  const holding = models.holdTables(id, request.claim)
  const tagged = holding.then(async (held) => ({ held, etag: await tags.of(held) }))
  whenEnded(request, () => void releaseAfter(tagged, holding))
  return waitWithin(tagged, { claim: request.claim })
}

async function releaseAfter(tagged: Promise<unknown>, holding: Promise<HeldTables>): Promise<void> {
  await Promise.allSettled([tagged])
  const [held] = await Promise.allSettled([holding])
  if (held.status === 'fulfilled') held.value.release()
}
