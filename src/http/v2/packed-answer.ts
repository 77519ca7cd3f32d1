import type { FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { drivenBlocks } from '../../load/drive.js'
import type { EncodedAnswer } from '../../wire/formats/format.js'
import { PACKER_BYTES, packed } from '../answers/packed.js'

/** A shorter answer is sent as it is: packed, it would hardly be shorter. */
const LEAST_BYTES = 1024

const NAMES = ['gzip', 'deflate'] as const

/**
 * The answer packed, where `Accept-Encoding` asks for gzip or deflate. How long it will be is not known then; the length
 * of its JSON is the one before packing.
 *
 * @throws InletError `overloaded` where there is no room for the packer
 */
export async function packedAnswer(
  answer: EncodedAnswer,
  { headers, claim }: FastifyRequest,
): Promise<EncodedAnswer> {
  const asked = headers['accept-encoding']
  if (asked === undefined) return answer
  const vary = { ...answer.headers, vary: 'Accept-Encoding' }
  const coding = NAMES.find(
    (name) => name === new Negotiator({ headers }).encoding(['gzip', 'deflate', 'identity']),
  )
  if (coding === undefined || answer.size < LEAST_BYTES) return { ...answer, headers: vary }
  await claim.take(PACKER_BYTES)
  return {
    size: answer.size,
    exact: false,
    headers: { ...vary, 'content-encoding': coding },
    body: packed(drivenBlocks(claim, answer.body), coding, claim),
  }
}
