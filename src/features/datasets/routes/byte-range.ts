import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Encoded } from '../../../first-layer/formats/formats.js'
import type { Blocks } from '../../../first-layer/tensors/blocks.js'
import { HeaderedError, shown } from '../../../service/answer/error-table.js'

export interface ByteRange {
  readonly start: number
  readonly end: number
}

const RANGE = /^bytes=(\d*)-(\d*)$/

/**
 * The part of an answer that `Range` asks for, as a 206; the answer as it is where nothing is asked for, or
 * several parts, or where `If-Range` names another answer (RFC 9110, 14.2).
 * @param read makes the bytes of a range without those before it. Default, not for a stream: all are made,
 *   and what is before is left out
 * @throws InletError `range_not_satisfiable`
 */
export function partOf(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  answer: Encoded,
  etag: string,
  read?: (range: ByteRange) => AsyncIterable<Uint8Array>,
): Encoded {
  if (!answer.exact) return answer
  reply.header('accept-ranges', 'bytes')
  const { range: asked, 'if-range': ifRange } = headers
  if (asked === undefined || (ifRange !== undefined && ifRange !== etag)) return answer
  const range = rangeOf(asked, answer.size)
  if (range === undefined) return answer
  const { start, end } = range
  reply.code(206).header('content-range', `bytes ${start}-${end - 1}/${answer.size}`)
  return { ...answer, size: end - start, body: read?.(range) ?? cut(answer.body, range) }
}

/** The range; undefined: it is no single range of bytes, and is left out of account. */
function rangeOf(asked: string, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = RANGE.exec(asked) ?? []
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (start < end) return { start, end }
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const message = `\`Range\` must begin below the length, ${size} bytes. Given: ${shown(asked)}`
  throw new HeaderedError('range_not_satisfiable', message, 'range', { 'content-range': `bytes */${size}` })
}

async function* cut(body: Blocks, { start, end }: ByteRange): AsyncGenerator<Uint8Array, void, void> {
  let at = 0
  for await (const block of body) {
    const part = block.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += block.length
    yield part // none before the range: each is a turn
    if (at >= end) return
  }
}
