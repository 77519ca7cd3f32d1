import type { FastifyRequest } from 'fastify'
import { InletError, shown } from '../../../service/answer/error-table.js'
import type { Models } from '../../../service/models/library/models.js'
import type { Config } from '../../../service/process/config.js'
import { parseTags } from '../../../service/request/entity-tags.js'
import type { Datasets } from '../datasets.js'

/** The parts that the routes of datasets share. */
export interface DatasetContext {
  readonly datasets: Datasets
  readonly models: Models
  readonly variables: Config
}

/** A path with `:dataset` in it, for the framework's types. */
export interface DatasetPath {
  Params: { dataset: string }
}

export const JSON_TYPE = 'application/json'

/** Whether the caller has this answer already, as `If-None-Match` says. @throws InletError `invalid_request` */
export function isKnown({ headers }: FastifyRequest, etag: string): boolean {
  const unless = headers['if-none-match']
  if (unless === undefined) return false
  const known = parseTags(unless, 'if-none-match')
  return known === '*' || known.some(({ value }) => value === etag)
}

/** A number in a path. @throws InletError `invalid_request` */
export function naturalNumber(name: string, given: string): number {
  const number = Number(given)
  if (/^\d{1,16}$/.test(given) && Number.isSafeInteger(number)) return number
  const rule = 'must be an integer from 0 to 9007199254740991'
  throw new InletError('invalid_request', `\`${name}\` ${rule}. Given: ${shown(given)}`, name)
}
