// Five calls by the client that openapi-generator's `typescript-fetch` makes. Argument: the service's URL.
import assert from 'node:assert/strict'
import {
  Configuration,
  EmbeddingsApi,
  ErrorAnswerFromJSON,
  ModelsApi,
  OutputName,
  ResponseError,
  TokensApi,
} from './generated/index'

const configuration = new Configuration({ basePath: process.argv[2]!, accessToken: 'operator' })
const models = new ModelsApi(configuration)
const tokens = new TokensApi(configuration)

assert.equal((await models.listModels()).data[0]?.id, 'default')
const inputEmbeddingsRequest = { text: 'Hello, world!', outputs: new Set([OutputName.InputIds]) }
const answer = await new EmbeddingsApi(configuration).createInputEmbeddings({ inputEmbeddingsRequest })
assert.deepEqual([answer.numTokens, answer.outputs.inputIds?.shape], [4, [1, 4]])
const { inputIds, documents } = await tokens.tokenize({
  tokenizeRequest: { text: ['Hello, world!', 'Hello'] },
})
assert.deepEqual(inputIds, [15496, 11, 995, 0, 15496])
assert.equal(documents?.[1]?.start, 4)
assert.ok((await models.getTables({ model: 'default' })).size > 50257 * 8 * 4)
const refused = await tokens
  .detokenize({ detokenizeRequest: { inputIds: [50257] } })
  .catch((failure) => failure)
assert.ok(refused instanceof ResponseError && refused.response.status === 422)
assert.equal(ErrorAnswerFromJSON(await refused.response.json()).error.code, 'token_out_of_range')
