import type { FastifyRequest } from 'fastify'
import type { Model } from '../../first-layer/embeddings/model.js'
import { ClientGone } from '../../first-layer/work/drive.js'
import type { Lease } from '../models/library/library.js'
import type { Models } from '../models/library/models.js'
import { checkModel } from './callers/allowed-models.js'
import { whenEnded } from './request-end.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The lease of the model that the request uses, released when the request ends. */
    lease?: Lease<Model> | undefined
  }
}

/**
 * Leases a model for this request, which uses one version of it to its end, even if the tables change.
 *
 * @param id absent: the default model
 * @throws InletError `forbidden` where the caller may not use it, and as `Models.lease`
 * @throws ClientGone where the request has ended while the model was made
 */
export function leased(request: FastifyRequest, models: Models, id?: string): Model | Promise<Model> {
  checkModel(request, models, id ?? models.defaultModel)
  const lease = models.lease(id, request.claim)
  return lease instanceof Promise ? lease.then((own) => hold(request, own)) : hold(request, lease)
}

function hold(request: FastifyRequest, lease: Lease<Model>): Model {
  if (request.hasEnded) {
    lease.release()
    throw new ClientGone()
  }
  request.lease = lease
  whenEnded(request, () => request.lease?.release())
  return lease.model
}
