import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { type Part, parsePart } from '../../../first-layer/learning/parts.js'
import { InletError, shown } from '../../../service/answer/error-table.js'

const WRITER = /^[\w.-]{1,64}$/
const SEQUENCE = /^[1-9]\d{0,15}$/

/** The writer of a call, the call's number, and its part of a set. */
export interface CallHead {
  readonly writer: string
  readonly sequence: number
  readonly part?: Part
}

/** Reads `X-Writer`, `X-Sequence` and `X-Part`. @throws InletError `invalid_request` */
export function callHead({ headers }: FastifyRequest): CallHead {
  const { 'x-writer': writer = 'default', 'x-sequence': sequence, 'x-part': part } = headers
  if (typeof writer !== 'string' || !WRITER.test(writer)) {
    throw invalid('X-Writer', 'must be 1 to 64 letters, digits, "_", "." or "-"', writer)
  }
  const number = Number(sequence)
  if (!SEQUENCE.test(String(sequence)) || !Number.isSafeInteger(number)) {
    throw invalid('X-Sequence', 'must be the number of this call of its writer, from 1', sequence)
  }
  return { writer, sequence: number, ...(part !== undefined && { part: parsePart(String(part)) }) }
}

/** @throws InletError `invalid_request` where a step comes as a part */
export function checkNoPart({ part }: CallHead): void {
  if (part === undefined) return
  throw invalid('X-Part', 'must stand beside gradients alone', `${part.index}/${part.count}`)
}

/** SHA-256, in hex, of a call's content. @param body the digest of its body, if it has one */
export function digestOf(kind: string, options: object, part?: Part, body = ''): string {
  return createHash('sha256')
    .update(JSON.stringify([kind, options, part, body]))
    .digest('hex')
}

function invalid(header: string, rule: string, given: unknown): InletError {
  return new InletError('invalid_request', `\`${header}\` ${rule}. Given: ${shown(given)}`, header)
}
