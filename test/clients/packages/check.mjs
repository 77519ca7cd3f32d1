// Calls a running service with the installed tarball and compares with raw HTTP, bit for bit.
// check.mjs http://127.0.0.1:8000
import assert from 'node:assert/strict'
import { Inlet, Refused, widened } from 'inlet-client'

const [, , url] = process.argv
const TEXT = 'Hello, world! This is the first layer.'
const inlet = new Inlet(url)

async function raw(path, body, accept = 'application/octet-stream') {
  const post = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { accept, 'content-type': 'application/json' },
  }
  const response = await fetch(url + path, body === undefined ? { headers: { accept } } : post)
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

function bytesOf({ data }) {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

const outputs = ['input_embeddings', 'input_ids', 'target_ids', 'attention_mask']
for (const dtype of ['float32', 'float16', 'bfloat16']) {
  const fields = { text: TEXT, context_length: 4, stride: 2, tail: 'pad', dtype }
  const tensors = await inlet.inputEmbeddings({ ...fields, outputs })
  assert.deepEqual([...tensors.keys()].sort(), [...outputs].sort())
  assert.equal(tensors.counts.num_tokens, 10)
  for (const name of outputs) {
    assert.deepEqual(
      bytesOf(tensors.get(name)),
      await raw('/v1/input-embeddings', { ...fields, outputs: [name] }),
    )
  }
  const rows = tensors.get('input_embeddings')
  assert.deepEqual(
    [rows.dtype, rows.data.constructor],
    [dtype, dtype === 'float32' ? Float32Array : Uint16Array],
  )
  const json = JSON.parse(
    await raw('/v1/input-embeddings', { ...fields, outputs: ['input_embeddings'] }, 'application/json'),
  )
  assert.deepEqual(widened(rows), Float32Array.from(json.outputs.input_embeddings.data.flat(2)))
}

const epoch = { text: TEXT, context_length: 2, stride: 1, batch_size: 3, shuffle: true, seed: 7 }
const shown = [...outputs, 'position_embeddings']
let index = 0
for await (const batch of inlet.batches({ ...epoch, outputs: shown })) {
  assert.equal(batch.counts.num_batches, 3)
  const one = await inlet.inputEmbeddings({ ...epoch, outputs: shown, batch_index: index++ })
  for (const name of shown) {
    assert.deepEqual(batch.get(name).shape, one.get(name).shape)
    assert.deepEqual(bytesOf(batch.get(name)), bytesOf(one.get(name)))
  }
}
assert.equal(index, 3)

const position_embedding = { type: 'rope', head_dim: 8, scaling: { type: 'linear', factor: 2 } }
const asked = { context_length: 4, outputs: ['input_ids', 'cos'], seed: 2n ** 64n - 1n, position_embedding }
const asJson = await inlet.inputEmbeddings({ text: TEXT, ...asked })
const asText = await inlet.inputEmbeddings({ text: new TextEncoder().encode(TEXT), ...asked })
for (const name of ['input_ids', 'cos'])
  assert.deepEqual(bytesOf(asJson.get(name)), bytesOf(asText.get(name)))

const cos = await inlet.positionEmbeddings('default', {
  context_length: 4,
  outputs: ['cos'],
  position_embedding,
})
const query = 'position_embedding=rope&position_embedding.head_dim=8&position_embedding.scaling.type=linear'
const path = `/v1/models/default/position-embeddings?context_length=4&outputs=cos&${query}`
assert.deepEqual(bytesOf(cos.get('cos')), await raw(`${path}&position_embedding.scaling.factor=2`))

const ids = (await inlet.tokenize({ text: TEXT })).get('input_ids').data
assert.deepEqual(await inlet.detokenize({ input_ids: ids }), { text: TEXT, lossy: false })
assert.equal((await inlet.tokenize({ text: TEXT, count_only: true })).counts.num_tokens, ids.length)
const listed = { text: [TEXT, 'a second text', '🦙'] }
const list = await inlet.tokenize(listed)
const counted = await inlet.tokenize({ ...listed, count_only: true })
assert.deepEqual(counted.get('document_starts'), list.get('document_starts'))
assert.deepEqual(
  [...counted.documents()].map(({ counts }) => counts.num_tokens),
  [...list.documents()].map((document) => document.get('input_ids').data.length),
)
for (const [i, document] of [...list.documents()].entries()) {
  const one = await inlet.tokenize({ text: listed.text[i] })
  assert.deepEqual(document.get('input_ids'), one.get('input_ids'))
  const { shape, data } = document.get('token_ranges')
  assert.deepEqual(shape, [one.counts.num_tokens, 2])
  assert.deepEqual(
    [...data.filter((_, place) => place % 2 === 0)],
    [...one.get('token_starts').data.slice(0, -1)],
  )
}
await assert.rejects(async () => [...(await inlet.tokenize({ text: TEXT })).documents()], TypeError)
const vector = (await inlet.inputEmbeddings({ input_ids: [15496], outputs: ['token_embeddings'] })).get(
  'token_embeddings',
).data
assert.equal((await inlet.neighbors('default', { vector, k: 1 })).neighbors[0][0].id, 15496)
const texts = { input: ['Hello, world!', 'A second text'], model: 'float32' }
const vectors = await inlet.embeddings(texts)
const floats = JSON.parse(await raw('/v1/embeddings', texts, 'application/json')).data
assert.deepEqual(
  [...vectors.data],
  floats.flatMap(({ embedding }) => embedding.map(Math.fround)),
)
assert.deepEqual(vectors.shape, [2, floats[0].embedding.length])
const said = [{ role: 'user', content: TEXT }]
const chat_template = '{% for m in messages %}{{ m.content }}{% endfor %}'
assert.deepEqual((await inlet.renderChat({ messages: said, chat_template })).token_ids, [...ids])
const [prompt] = await inlet.renderCompletion({ prompt: TEXT, target: 'sglang' })
assert.deepEqual(prompt.input_ids, [...ids])
assert.equal((await inlet.models()).data[0].id, (await inlet.model('default')).id)
assert.deepEqual([await inlet.live(), await inlet.ready()], [{ status: 'live' }, { status: 'ready' }])
assert.match(await inlet.metrics(), /inlet_requests/)
await assert.rejects(inlet.inputEmbeddings({ text: TEXT, context_length: 1025 }), (error) => {
  assert.ok(error instanceof Refused && error.requestId)
  assert.deepEqual([error.status, error.code], [422, 'context_too_long'])
  return true
})

const admin = new Inlet(url, { key: 'an-admin-key-of-32-characters-00' })
await admin.putModel('drawn', { embedding_dim: 8, seed: 2n ** 63n })
const tables = await admin.tables('drawn')
const { model_version } = await admin.putTables('drawn', tables, { if_match: tables.headers.get('etag') })
assert.equal(model_version, '2')
const data = Uint16Array.from({ length: 50257 * 4 }, (_, i) => i % 0x7c00)
const file = { 'wte.weight': { dtype: 'float16', shape: [50257, 4], data } }
const made = await admin.putModel(
  'given',
  { architecture: 'llama', position_embedding: { type: 'rope', head_dim: 4 } },
  file,
)
assert.deepEqual([made.dtype, made.position_embedding], ['float16', 'rope'])
assert.deepEqual((await admin.tables('given')).get('wte.weight').data, data)
assert.equal((await admin.unloadModel('drawn')).state, 'unloaded')
assert.equal((await admin.loadModel('drawn')).state, 'ready')
for (const name of ['drawn', 'given']) assert.equal(await admin.deleteModel(name), undefined)
console.log('tarball: as raw HTTP')
