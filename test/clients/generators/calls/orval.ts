// Five calls by the client that orval makes. Argument: the service's URL, which is its base URL too.
import assert from 'node:assert/strict'
import {
  createInputEmbeddings,
  detokenize,
  getPositionEmbeddings,
  listModels,
  tokenize,
} from './generated/client'

// orval leaves the media type of a body to its caller where an operation takes two.
const json = { headers: { 'content-type': 'application/json' } }

const models = await listModels()
assert.ok(models.status === 200 && models.data.data[0]?.id === 'default')
const answer = await createInputEmbeddings({ text: 'Hello, world!', outputs: ['input_ids'] }, undefined, json)
assert.ok(answer.status === 200 && 'outputs' in answer.data && answer.data.num_tokens === 4)
const tokens = await tokenize({ text: ['Hello, world!', 'Hello'] })
assert.ok(tokens.status === 200 && 'num_tokens' in tokens.data && tokens.data.input_ids?.[4] === 15496)
assert.equal(tokens.data.documents?.[1]?.start, 4)
// Orval's `fetch` client reads every answer as JSON: a scheme's tensors in place of the file of tables.
const positions = await getPositionEmbeddings('default', { context_length: 4, position_embedding: 'rope' })
assert.ok(
  positions.status === 200 && 'outputs' in positions.data && positions.data.outputs.cos?.shape[0] === 4,
)
const refused = await detokenize({ input_ids: [50257] })
assert.ok(refused.status === 422 && refused.data.error.code === 'token_out_of_range')
