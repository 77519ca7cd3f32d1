import type { FastifyRequest } from 'fastify'
import type { Model } from '../../embeddings/model.js'
import type { Lease } from '../../models/library.js'
import type { Models } from '../../models/models.js'
import { whenEnded } from './request-end.js'

/**
 * A model for this request, one version of it to its end, whatever comes meanwhile.
 *
 * @param id absent: the default model
 * @throws InletError as `Models.lease`
 */
export function leased(request: FastifyRequest, models: Models, id?: string): Model | Promise<Model> {
  const lease = models.lease(id, request.claim)
  return lease instanceof Promise ? lease.then((own) => hold(request, own)) : hold(request, lease)
}

function hold(request: FastifyRequest, lease: Lease<Model>): Model {
  whenEnded(request, () => lease.release())
  return lease.model
}
