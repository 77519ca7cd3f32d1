import type { FastifyRequest } from 'fastify'
import { preconditionFailed } from '../../../../models/errors.js'
import type { ModelAdminContext } from '../context.js'
import { parseTags } from './entity-tags.js'
import { taggedTables } from './tagged-tables.js'

/**
 * The version of the tables that `If-Match` names; undefined where the header allows any version.
 *
 * @throws InletError `precondition_failed` where none of its ETags is the present one, `invalid_request` where it is
 * no list of ETags, `model_not_found`
 */
export async function versionToMatch(
  request: FastifyRequest,
  id: string,
  context: ModelAdminContext,
): Promise<number | undefined> {
  const header = request.headers['if-match']
  if (header === undefined) return undefined
  const tags = parseTags(header, 'if-match')
  if (tags === '*') return undefined
  const { held, etag } = await taggedTables(request, id, context)
  if (tags.some(({ weak, value }) => !weak && value === etag)) return held.version.number
  throw preconditionFailed(id, header, held.version.number)
}
