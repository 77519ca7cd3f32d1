import type { FastifyRequest } from 'fastify'
import type { EncodedAnswer } from '../../wire/formats/format.js'

export function packedAnswer(answer: EncodedAnswer, _request: FastifyRequest): EncodedAnswer {
  return answer
}
