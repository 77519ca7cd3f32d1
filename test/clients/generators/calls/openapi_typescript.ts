// Five calls by openapi-fetch with the types that openapi-typescript makes. Argument: the service's URL.
import assert from 'node:assert/strict'
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/schema'

const client = createClient<paths>({
  baseUrl: process.argv[2]!,
  headers: { authorization: 'Bearer operator' },
})
const json = { 'content-type': 'application/json' }

assert.equal((await client.GET('/v1/models')).data?.data[0]?.id, 'default')
const body = { text: 'Hello, world!', outputs: ['input_ids' as const] }
const { data } = await client.POST('/v1/input-embeddings', { body, headers: json })
const answer = data as components['schemas']['InputEmbeddingsAnswer'] // by `Accept` also bytes
assert.deepEqual([answer.num_tokens, answer.outputs.input_ids?.shape], [4, [1, 4]])
const tokenized = await client.POST('/v1/tokenize', { body: { text: ['Hello, world!', 'Hello'] } })
const tokens = tokenized.data as components['schemas']['TokenizeAnswer']
assert.deepEqual(tokens.input_ids, [15496, 11, 995, 0, 15496])
assert.equal(tokens.documents?.[1]?.start, 4)
const path = { params: { path: { model: 'default' } }, parseAs: 'blob' } as const
const tables = await client.GET('/v1/models/{model}/tables', path)
assert.ok((tables.data as unknown as Blob).size > 50257 * 8 * 4)
const refused = await client.POST('/v1/detokenize', { body: { input_ids: [50257] } })
assert.equal(refused.error?.error.code, 'token_out_of_range')
