import type { FastifyInstance } from 'fastify'
import type { OpenCorpus } from '../../../datasets/datasets.js'
import { ID_DTYPES } from '../../../first-layer/datasets/id-dtypes.js'
import { npyHeader } from '../../../first-layer/tensors/npy.js'
import type { Claim } from '../../../load/claim.js'
import { preferred } from '../../../wire/formats/registry.js'
import { type ByteRange, partOf } from '../../answers/byte-range.js'
import { sendEncoded } from '../../answers/send-encoded.js'
import { whenEnded } from '../../lifetime/request-end.js'
import { isKnown } from './conditions.js'
import type { DatasetContext, DatasetPath } from './context.js'

const RAW = 'application/octet-stream'
const NPY = 'application/x-npy'

/** Bytes that are read at a time. */
const BLOCK_BYTES = 1 << 20

/** `GET /v1/datasets/{dataset}/tokens`: the file of all ids, or a range of it. */
export function addTokensRoute(app: FastifyInstance, { datasets }: DatasetContext): void {
  const options = { config: { media: { produces: [RAW, NPY] } } }
  app.get<DatasetPath>('/v1/datasets/:dataset/tokens', options, async (request, reply) => {
    const corpus = await datasets.findCorpus(request.params.dataset, request.claim)
    const mediaType = preferred(request.headers.accept, [RAW, NPY])
    const { card } = corpus
    const head = mediaType === NPY ? npyHeader(card.dtype, [card.num_tokens]) : Buffer.alloc(0)
    const etag = `"${card.sha256}${mediaType === NPY ? '-npy' : ''}"`
    reply.header('etag', etag).header('x-tensor-dtype', card.dtype)
    reply.header('cache-control', 'private, max-age=31536000, immutable')
    if (isKnown(request, etag)) return reply.code(304).send()
    const size = head.length + card.num_tokens * ID_DTYPES[card.dtype].bytes
    whenEnded(request, corpus.source.hold())
    const read = (range: ByteRange) => fileBlocks(corpus, head, range, request.claim)
    const whole = { size, exact: true, headers: {}, body: read({ start: 0, end: size }) }
    const answer = partOf(request, reply, whole, etag, read)
    return sendEncoded(request, reply, answer, mediaType, Number.POSITIVE_INFINITY)
  })
}

/** The bytes of a range of the head and the tokens file behind it. */
async function* fileBlocks(
  { source }: OpenCorpus,
  head: Buffer,
  { start, end }: ByteRange,
  claim: Claim,
): AsyncGenerator<Uint8Array, void, void> {
  if (start < head.length) yield head.subarray(start, end)
  await claim.take(BLOCK_BYTES)
  const block = Buffer.allocUnsafeSlow(BLOCK_BYTES)
  let next: number
  for (let at = Math.max(start, head.length); at < end; at = next) {
    next = Math.min(end, at + BLOCK_BYTES)
    const part = block.subarray(0, next - at)
    await source.readBytes(at - head.length, part)
    yield part
  }
}
