import { expect } from 'vitest'
import { type Decoded, decodeFloats, decodeNpy, decodeRaw, decodeSafetensors, MEDIA_TYPES } from './decode.js'
import type { Asked } from './first-layer/embeddings/positions/compute.js'
import { embed, type TestAnswer, type TestService, testService } from './helper.js'

export type Tensors = Readonly<Record<string, Decoded>>

const services = new Map<string, Promise<TestService>>()

/** One service for each environment that is asked for: a vocabulary of 16 ids, rows of 8. */
export function positionService(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const key = JSON.stringify(env)
  const found = services.get(key) ?? testService({ VOCAB_SIZE: '16', ...env })
  services.set(key, found)
  return found
}

export function serviceOfWidth(embeddingDim = 8): Promise<TestService> {
  return positionService({ EMBEDDING_DIM: String(embeddingDim) })
}

export async function closePositionServices(): Promise<void> {
  for (const service of services.values()) await (await service).close()
  services.clear()
}

/** `{ scaling: { factor: 2 } }` → `position_embedding.scaling.factor=2`, as a query string flattens objects. */
function flattened(path: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, String(value)]]
  return Object.entries(value).flatMap(([key, each]) => {
    return flattened(key === 'type' && path === ROOT ? path : `${path}.${key}`, each)
  })
}
const ROOT = 'position_embedding'

/** `GET /v1/models/default/position-embeddings`. */
export async function getPositions(
  { app }: Pick<TestService, 'app'>,
  { positionEmbedding, ...query }: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestAnswer> {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  const all = new URLSearchParams([
    ...flattened(ROOT, positionEmbedding),
    ...fields.map(([name, value]): [string, string] => [name, String(value)]),
  ])
  const response = await app.inject({ url: `/v1/models/default/position-embeddings?${all}`, headers })
  return {
    status: response.statusCode,
    headers: response.headers as Record<string, string>,
    body: response.rawPayload,
    json: () => response.json(),
  }
}

/** The body that asks for a window of as many tokens, all of them id 0. */
export function bodyFor({ positionEmbedding, length, offset }: Asked): Record<string, unknown> {
  return {
    input_ids: new Array(length).fill(0),
    position_embedding: positionEmbedding,
    ...(offset !== undefined && { position_offset: offset }),
  }
}

/** Expects an error and returns its message. */
export function expectError(answer: TestAnswer, status: number, code: string, param: string | null): string {
  const { error } = answer.json()
  expect({ status: answer.status, code: error.code, param: error.param }).toEqual({ status, code, param })
  return error.message
}

export function expect200(answer: TestAnswer): TestAnswer {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.toString('utf8', 0, 500)}`)
  return answer
}

function expectSame(tensors: Tensors, others: Tensors): void {
  expect(Object.keys(others).toSorted()).toEqual(Object.keys(tensors).toSorted())
  for (const [name, { dtype, shape, bytes }] of Object.entries(others)) {
    expect([name, dtype, shape]).toEqual([name, tensors[name]!.dtype, tensors[name]!.shape])
    expect(bytes.equals(tensors[name]!.bytes), name).toBe(true)
  }
}

/**
 * The tensors `names` of a scheme as HTTP answers them: through both routes, as JSON numbers and as
 * safetensors, each of them as npy through one route and raw through the other; all of it the same bits.
 */
export async function positionTensors(asked: Asked, names: readonly string[]): Promise<Tensors> {
  const service = await serviceOfWidth(asked.embeddingDim)
  const body = { ...bodyFor(asked), outputs: names }
  const query = {
    positionEmbedding: withType(asked.positionEmbedding),
    context_length: asked.length,
    position_offset: asked.offset,
    outputs: names.join(','),
  }
  const safetensors = { accept: MEDIA_TYPES.safetensors }
  const tensors = decodeFloats(expect200(await embed(service, body)))
  expectSame(tensors, decodeSafetensors(expect200(await embed(service, body, safetensors)).body).tensors)
  expectSame(tensors, decodeFloats(expect200(await getPositions(service, query))))
  const file = expect200(await getPositions(service, query, safetensors)).body
  expectSame(tensors, decodeSafetensors(file).tensors)
  for (const name of names) {
    const one = { ...query, outputs: name }
    const npy = expect200(await getPositions(service, one, { accept: MEDIA_TYPES.npy }))
    expectSame({ [name]: tensors[name]! }, { [name]: decodeNpy(npy.body) })
    const raw = await embed(service, { ...body, outputs: [name] }, { accept: MEDIA_TYPES.raw })
    expectSame({ [name]: tensors[name]! }, { [name]: decodeRaw(expect200(raw)) })
  }
  return tensors
}

function withType(wire: unknown): unknown {
  return typeof wire === 'string' ? { type: wire } : wire
}
