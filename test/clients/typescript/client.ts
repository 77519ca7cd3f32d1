// npx openapi-typescript openapi.yaml -o openapi.d.ts
import type { components, paths } from './openapi.js'

type Embed = paths['/v1/input-embeddings']['post']
export type EmbedBody = NonNullable<Embed['requestBody']>['content']['application/json']
export type EmbedAnswer = Embed['responses'][200]['content']['application/json']
export type Failure = components['schemas']['ErrorAnswer']
type Tensor = components['schemas']['Tensor']
type PositionQuery = paths['/v1/models/{model}/position-embeddings']['get']['parameters']['query']

/** A client as someone writes it with types from openapi.yaml and `fetch`. */
export function client(baseUrl: string, key?: string) {
  const headers = { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) }

  async function answerOf<Answer>(response: Response): Promise<Answer> {
    if (response.ok) return (await response.json()) as Answer
    const { error } = (await response.json()) as Failure
    throw new Error(`${error.code} (${error.param ?? 'the request'}): ${error.message}`)
  }

  return {
    async embed(body: EmbedBody): Promise<EmbedAnswer> {
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      return answerOf(await fetch(`${baseUrl}/v1/input-embeddings`, request))
    },
    async positions(query: PositionQuery): Promise<components['schemas']['PositionEmbeddingsAnswer']> {
      const fields = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
      const search = new URLSearchParams(fields)
      return answerOf(await fetch(`${baseUrl}/v1/models/default/position-embeddings?${search}`, { headers }))
    },
    async tokenize(body: components['schemas']['TokenizeRequest']) {
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      type Answer = components['schemas']['TokenizeAnswer']
      return answerOf<Answer>(await fetch(`${baseUrl}/v1/tokenize`, request))
    },
  }
}

/** Requests that the types allow. */
export const requests: readonly EmbedBody[] = [
  { text: 'Hello, world!', outputs: ['input_ids', 'input_embeddings'] },
  { text: ['Hello, world!', 'Hello'], tail: 'drop', context_length: 1, dtype: 'bfloat16' },
  { input_ids: [[15496, 11], [995]], shuffle: true, seed: '18446744073709551615' },
  {
    text: 'Hello, world!',
    position_embedding: { type: 'rope', head_dim: 8, scaling: { type: 'linear', factor: 2 } },
  },
  { text: 'Hello, world!', position_embedding: 'alibi', architecture: 'bloom' },
]

/** The first number of a tensor, however deep it lies. */
export function firstNumber({ data }: Tensor): number | string {
  let value: unknown = data
  while (Array.isArray(value)) value = value[0]
  return value as number | string
}
