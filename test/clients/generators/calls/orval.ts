// Five calls by the client that orval makes. Argument: the service's URL, which is its base URL too.
import assert from 'node:assert/strict'
import { createInputEmbeddings, detokenize, getTables, listModels, tokenize } from './generated/client'

// orval leaves the media type of a body to its caller where an operation takes two.
const json = { headers: { 'content-type': 'application/json' } }

/** orval hands an answer that has several media types over as a Blob. */
async function read<Data>(data: Data): Promise<Exclude<Data, Blob>> {
  return data instanceof Blob ? JSON.parse(await data.text()) : (data as Exclude<Data, Blob>)
}

const models = await listModels()
assert.ok(models.status === 200 && models.data.data[0]?.id === 'default')
const answer = await createInputEmbeddings({ text: 'Hello, world!', outputs: ['input_ids'] }, undefined, json)
const embedded = await read(answer.data)
assert.ok('outputs' in embedded && embedded.num_tokens === 4)
const tokenized = await tokenize({ text: ['Hello, world!', 'Hello'] })
const tokens = await read(tokenized.data)
assert.ok('num_tokens' in tokens && tokens.input_ids?.[4] === 15496 && tokens.documents?.[1]?.start === 4)
const tables = await getTables('default', { headers: { authorization: 'Bearer operator' } })
assert.ok(tables.status === 200 && tables.data.size > 50257 * 8 * 4)
const refused = await detokenize({ input_ids: [50257] })
const refusal = await read(refused.data)
assert.ok(refused.status === 422 && 'error' in refusal && refusal.error.code === 'token_out_of_range')
