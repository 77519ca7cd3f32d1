import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../../first-layer/answer.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { calculate } from '../process/calculator.js'
import type { Claim } from '../process/claim.js'
import type { LimitVariables } from '../process/config.js'
import { inTurns } from '../process/turn.js'
import { InletError } from './error-table.js'
import type { EncodedAnswer, Format, FormatOptions } from './formats/json.js'
import type { Negotiated } from './formats/registry.js'
import { firstInLine, sendBlocks } from './send-blocks.js'

/**
 * Sends an answer that is encoded already, once its size is within the limit.
 * @param contentType its media type, which may have parameters
 * @param limit bytes
 * @param tensors the tensors in the answer; what they need is there before the first block
 * @throws InletError `response_too_large` before any of it is made
 */
export function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  { size, exact, headers, body }: EncodedAnswer,
  contentType: string,
  limit: number,
  tensors: readonly NamedTensor[] = [],
): Promise<FastifyReply> {
  if (size > limit) throw responseTooLarge(contentType, limit, `${size} bytes`)
  const facts = { size: exact ? size : undefined, most: size, contentType, headers }
  const blocks = inTurns(body, request.claim)
  if (!tensors.some(needsWork) || request.method === 'HEAD') return sendBlocks(request, reply, blocks, facts)
  return prepare(request, reply, tensors).then(() => sendBlocks(request, reply, blocks, facts))
}

async function prepare(
  request: FastifyRequest,
  reply: FastifyReply,
  tensors: readonly NamedTensor[],
): Promise<void> {
  await firstInLine(request, reply) // prepared sooner, the memory would be held while other answers are sent
  await prepareTensors(tensors, request.claim)
}

function needsWork({ drawn = [], workBytes = 0 }: NamedTensor): boolean {
  return drawn.length > 0 || workBytes > 0
}

/** Numbers that are drawn in some milliseconds: here, without a thread. */
const FEW_DRAWN = 1 << 20

/** Reserves the memory that tensors' blocks take, and draws the tables that they need. */
export async function prepareTensors(tensors: readonly NamedTensor[], claim: Claim): Promise<void> {
  for (const { workBytes = 0, drawn = [] } of tensors) {
    if (workBytes > 0) await claim.take(workBytes)
    for (const each of drawn) {
      await claim.take(each.bytes)
      const { skipped } = each.drawing
      const work = each.numbers + skipped.reduce((sum, count) => sum + count, 0) / 8 // a skip is faster
      if (work > FEW_DRAWN && !each.areThere)
        each.take(await calculate(claim, (of) => of.drawTables(each.drawing)))
    }
  }
}

/**
 * Sends an answer in a format, once its size is within the limit.
 * @throws InletError `response_too_large` before anything is embedded, `overloaded` before anything is sent
 */
export function sendTensors(
  request: FastifyRequest,
  reply: FastifyReply,
  { format, mediaType }: Negotiated,
  answer: Answer,
  options: FormatOptions,
  limits: Pick<LimitVariables, Format['limit']>,
): Promise<FastifyReply> {
  const encoded = format.encode(answer, options)
  return sendEncoded(request, reply, encoded, mediaType, limits[format.limit], answer.tensors)
}

export function bodyTooLarge(limit: number, given: string | number = 'more', variable?: string): InletError {
  const most = variable === undefined ? `${limit} bytes` : `${limit} bytes (\`${variable}\`)`
  return new InletError('body_too_large', `The body must be at most ${most}. Given: ${given}`)
}

/** @param size in words: `1000 bytes`, `at least 1000 bytes` */
export function responseTooLarge(contentType: string, limit: number, size: string): InletError {
  const [mediaType] = contentType.split(';', 1)
  const message = `The answer as ${mediaType} must be at most ${limit} bytes. It would be ${size}.`
  return new InletError('response_too_large', message)
}
