// Five calls by the client that @hey-api/openapi-ts makes. Argument: the service's URL.
import assert from 'node:assert/strict'
import { client } from './generated/client.gen'
import { createInputEmbeddings, detokenize, getTables, listModels, tokenize } from './generated/index'

client.setConfig({ baseUrl: process.argv[2]!, auth: 'operator' })

assert.equal((await listModels()).data?.data[0]?.id, 'default')
const { data: answer } = await createInputEmbeddings({
  body: { text: 'Hello, world!', outputs: ['input_ids'] },
})
assert.deepEqual([answer?.num_tokens, answer?.outputs.input_ids?.shape], [4, [1, 4]])
const { data: tokens } = await tokenize({ body: { text: ['Hello, world!', 'Hello'] } })
assert.deepEqual(tokens?.input_ids, [15496, 11, 995, 0, 15496])
assert.equal(tokens?.documents?.[1]?.start, 4)
const tables = await getTables({ path: { model: 'default' }, parseAs: 'blob' })
assert.ok((tables.data as Blob).size > 50257 * 8 * 4)
const refused = await detokenize({ body: { input_ids: [50257] } })
assert.equal(refused.error?.error.code, 'token_out_of_range')
