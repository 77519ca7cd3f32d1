import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionTensor } from '../../src/first-layer/embeddings/position-tensors.js'
import { bindPositionEmbedding } from '../../src/first-layer/embeddings/positions/position-embedding.js'
import { runBlocks } from '../../src/first-layer/steps.js'
import { byteLength } from '../../src/first-layer/tensors/named-tensor.js'
import { sendTensors } from '../../src/http/answers/send-tensors.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import { negotiateFormat } from '../../src/wire/formats/registry.js'
import { positionEmbeddingSchema } from '../../src/wire/schemas/position-embedding.js'
import { MEDIA_TYPES } from '../decode.js'
import { embed, type TestService } from '../helper.js'
import { closePositionServices, expectError, getPositions, positionService } from './position-answers.js'

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

/** What grows with the square of T, at 16 heads or D = 16: 1 GiB each at T = 4096. */
const SQUARE = [
  [{ type: 'alibi', num_heads: 16 }, 'position_bias'],
  [{ type: 't5', num_heads: 16 }, 'position_bias'],
  [{ type: 'shaw', head_dim: 16 }, 'relative_key_embeddings'],
  [{ type: 'shaw', head_dim: 16 }, 'relative_value_embeddings'],
] as const

const MOST_BLOCK_BYTES = 1 << 20

describe('a tensor of a gigabyte', () => {
  it.each(SQUARE)(
    'is declared at once, and comes in blocks of a megabyte at most: %j, %s',
    async (wire, name) => {
      const position = bindPositionEmbedding(positionEmbeddingSchema.parse(wire))
      const request = service.model.positionRequest(position, 4096, 0)
      const declared = position.tensors(request).find((each) => each.name === name)
      const tensor = positionTensor(service.model, declared!, { dtype: 'float32', idsDtype: 'int32' })
      expect(byteLength(tensor)).toBe(2 ** 30)
      let bytes = 0
      let blocks = 0
      for (const block of runBlocks(tensor.blocks())) {
        expect(block.byteLength).toBeLessThanOrEqual(MOST_BLOCK_BYTES)
        bytes += block.byteLength
        if (++blocks === 64) break
      }
      expect(bytes).toBeLessThanOrEqual(64 * MOST_BLOCK_BYTES)
      expect(service.model.workspace.freeBlocks).toBe(16)
    },
  )

  it.each(SQUARE)('is refused as JSON with its size, before anything is computed: %j', async (wire, name) => {
    const query = { positionEmbedding: wire, context_length: 4096, outputs: name }
    const message = expectError(await getPositions(service, query), 413, 'response_too_large', null)
    expect(message).toContain(String(2 ** 28)) // the limit
    expect(message).toContain(String(14 * 2 ** 28).slice(0, 5)) // 14 bytes a float, and the frame
    const base64 = await getPositions(service, { ...query, encoding_format: 'base64' })
    expect(expectError(base64, 413, 'response_too_large', null)).toContain(
      String(Math.ceil(2 ** 30 / 3) * 4).slice(0, 6),
    )
  })

  it.each(SQUARE)(
    'falls under MAX_RESPONSE_BYTES in the other formats, through both routes: %j',
    async (wire, name) => {
      const small = await positionService({ MAX_RESPONSE_BYTES: '100000' })
      const query = { positionEmbedding: wire, context_length: 64, outputs: name }
      for (const accept of [MEDIA_TYPES.raw, MEDIA_TYPES.npy, MEDIA_TYPES.safetensors]) {
        const got = await getPositions(small, query, { accept })
        expectError(got, 413, 'response_too_large', null)
        const body = { input_ids: new Array(64).fill(0), position_embedding: wire, outputs: [name] }
        expectError(await embed(small, body, { accept }), 413, 'response_too_large', null)
        expect((await getPositions(small, { ...query, context_length: 32 }, { accept })).status).toBe(200)
      }
    },
  )
})

/** The side of a socket whose client is faster than the service: each write is taken within the same turn. */
function eagerReply() {
  let bytes = 0
  const raw = {
    writeHead: () => raw,
    write(block: Uint8Array, taken?: () => void) {
      bytes += block.byteLength
      if (taken) process.nextTick(taken)
    },
    end() {},
    once() {},
  }
  const reply = {
    raw,
    headers: () => reply,
    type: () => reply,
    header: () => reply,
    hasHeader: () => false,
    hijack() {},
    getHeaders: () => ({}),
  }
  return { reply: reply as unknown as FastifyReply, bytes: () => bytes }
}

describe('a client that takes every block at once', () => {
  it.each([
    ['sinusoidal', 'position_embeddings', 524_288],
    ['rope', 'cos', 131_072],
    ['transformer_xl', 'relative_position_embeddings', 524_288],
  ])('leaves other requests their turn (%s)', async (type, name, length) => {
    const position = bindPositionEmbedding(positionEmbeddingSchema.parse(type))
    const declared = position.tensors(service.model.positionRequest(position, length, 0))
    const asked = { dtype: 'float32', idsDtype: 'int32' } as const
    const tensor = positionTensor(service.model, declared.find((each) => each.name === name)!, asked)
    const { reply, bytes } = eagerReply()
    let turns = 0
    const counting = setInterval(() => turns++, 0)
    await sendTensors(
      { method: 'GET', hasEnded: false, atEnd: [] as (() => void)[], claim: UNBOUNDED } as FastifyRequest,
      reply,
      negotiateFormat(MEDIA_TYPES.raw),
      { model: 'default', tensors: [tensor], metadata: {} },
      { encodingFormat: 'float' },
      { MAX_JSON_RESPONSE_BYTES: 2 ** 30, MAX_RESPONSE_BYTES: 2 ** 30 },
    )
    clearInterval(counting)
    expect(bytes()).toBe(2 ** 24)
    expect(turns).toBeGreaterThan(2)
  })
})
