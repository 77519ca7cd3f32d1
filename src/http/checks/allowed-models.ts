import type { FastifyRequest } from 'fastify'
import { InletError } from '../../errors.js'

/** Whether the request's caller may use a model. */
export function mayUse({ caller }: Pick<FastifyRequest, 'caller'>, id: string): boolean {
  return caller?.models?.has(id) ?? true
}

/**
 * Checks that the caller may use a model.
 *
 * @param id absent: the request names none
 * @throws InletError `forbidden`, whether there is such a model or not
 */
export function checkModel(request: Pick<FastifyRequest, 'caller'>, id: string | undefined): void {
  if (id === undefined || mayUse(request, id)) return
  const allowed = [...(request.caller?.models ?? [])].join(', ')
  const message = `\`model\` must be one that this key may use: ${allowed}.`
  throw new InletError('forbidden', message, 'model')
}
