// node embeddings_check.mjs MODELS URL: OpenAI's client for Node against a running service; `openai` is installed beside this file.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'

const [, , folder, baseURL] = process.argv
const { texts, models } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8'))
const client = new OpenAI({ baseURL, apiKey: 'none', maxRetries: 0 })

for (const [model, { mean, embedding }] of Object.entries(models)) {
  const input = texts.slice(0, embedding.length)
  const asked = await client.embeddings.create({ model, input }) // base64, which the client decodes
  const floats = await client.embeddings.create({ model, input, encoding_format: 'float' })
  const strings = await client.embeddings.create({ model, input, encoding_format: 'base64' })
  assert.equal(asked.data.length, input.length)
  for (const [i, { embedding: numbers }] of asked.data.entries()) {
    assert.deepEqual(numbers, floats.data[i].embedding.map(Math.fround))
    const decoded = Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
    assert.equal(decoded, strings.data[i].embedding)
    if (mean === undefined) assert.equal(decoded, embedding[i])
  }
}
await assert.rejects(client.embeddings.create({ model: 'default', input: 'cat' }), (error) => {
  assert.ok(error instanceof OpenAI.UnprocessableEntityError)
  assert.equal(error.code, 'unsupported_combination')
  return true
})
console.log(`openai from npm: ${Object.keys(models).length} models, floats and base64`)
