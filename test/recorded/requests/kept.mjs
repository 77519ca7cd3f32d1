import { readFileSync } from 'node:fs'
import { tables } from '../models-folder.mjs'
import { ADMIN } from './models.mjs'
import { accept, FORMATS, get, post, put, query, text } from './request.mjs'

const SAMPLE = readFileSync(new URL('../../../docs/sample.txt', import.meta.url))
/** The ids that these uploads have, as docs/training.md tells. */
const TRAIN = 'ds_7dzn64vx2yjz5wlxl4keysuuwq'
const LINES = 'ds_yviikfg7vmofhapw6ct2hxkd7g'
const MIXTURE = 'mx_gd2jniz432viuloafhfzajg72m'
const RECIPES = [
  { context_length: 4 },
  { context_length: 4, batch_size: 4 },
  { context_length: 8, stride: 3, batch_size: 5, drop_last: true },
  { context_length: 4, stride: 1, batch_size: 8, shuffle: true, seed: 123, drop_last: true },
  { context_length: 4, batch_size: 8, shuffle: 'index', seed: 7, tail: 'pad' },
  { context_length: 16, batch_size: 4, packing: 'concat' },
  { context_length: 16, batch_size: 4, packing: 'best_fit' },
  {
    context_length: 4,
    batch_size: 8,
    shuffle: true,
    sharding: 'distributed_sampler',
    world_size: 3,
    rank: 1,
  },
  { context_length: 4, batch_size: 8, world_size: 4, rank: 1 },
  { context_length: 0, batch_size: 4 },
  { batch_size: 4 },
  { context_length: 4, batch_size: 4, shuffle: 'red' },
  { context_length: 4, batch_size: 4, world_size: 2, rank: 2 },
  { context_length: 4, batch_size: 4, colour: 1 },
]
const OUTPUTS = 'input_ids,target_ids,document_ids,window_starts,position_ids,attention_mask'

/** Datasets, their plans and batches, and a mixture of them. */
export function* datasets() {
  yield text('/v1/datasets?encoding=gpt2&name=train', SAMPLE.subarray(0, 3204))
  yield text('/v1/datasets?encoding=gpt2&name=train', SAMPLE.subarray(0, 3204))
  yield text('/v1/datasets?encoding=gpt2&name=lines&documents=lines&document_end=endoftext', SAMPLE)
  const upload = (body, fields = '') =>
    text(`/v1/datasets?encoding=gpt2${fields}`, body, { 'content-type': 'application/x-ndjson' })
  yield upload('{"text":"Hello world"}\n{"text":"Ünïcödé 👍","id":7}\n\n{"text":""}\n')
  yield upload('{"input_ids":[1,2,3]}\n')
  yield upload('"Hello"\n"world"\n', '&document_end=endoftext')
  for (const lines of ['', '\n', '{"text":7}\n', '{"text":"a"\n', '7\n', '{"tixt":"a"}\n'])
    yield upload(lines)
  for (const fields of [
    'encoding=absent',
    'encoding=gpt2&documents=red',
    'encoding=gpt2&colour=1',
    'encoding=gpt2&document_end=no',
  ])
    yield text(`/v1/datasets?${fields}`, 'Hello')
  const members = [{ dataset: TRAIN }, { dataset: LINES }]
  const stages = [
    { from_window: 0, weights: [9, 1] },
    { from_window: 2048, weights: [1, 1] },
  ]
  yield post('/v1/datasets', { mixture: members, stages })
  yield post('/v1/datasets', { mixture: members, stages: [{ from_window: 7, weights: [1, 1] }] })
  yield post('/v1/datasets', { mixture: [{ dataset: 'absent' }], stages: [{ from_window: 0, weights: [1] }] })
  yield post('/v1/datasets', { mixture: [] })
  for (const id of [TRAIN, LINES, MIXTURE, 'absent']) {
    const path = `/v1/datasets/${id}`
    yield get(path)
    yield get(`${path}/tokens`, { range: 'bytes=0-99' })
    for (const document of [0, 1, 9999]) yield get(`${path}/documents/${document}`)
    for (const recipe of RECIPES) {
      yield get(`${path}/batches?${query(recipe)}`)
      for (const batch of [0, 1, 3, 999_999])
        yield get(`${path}/batches/${batch}?${query(recipe)}`, accept(FORMATS[batch % 2]))
      yield get(`${path}/batches/0?${query({ ...recipe, epoch: 2, num_batches: 2 })}&outputs=${OUTPUTS}`)
    }
  }
  yield get(`/v1/datasets/${TRAIN}`, {}, 'DELETE')
  yield get(`/v1/datasets/${MIXTURE}`, {}, 'DELETE')
  yield get(`/v1/datasets/${TRAIN}`)
  yield upload('{"input_ids":[1,2],"labels":[1,2]}\n')
}

const OPTIMIZERS = [
  { type: 'sgd', lr: 0.1 },
  { type: 'sgd', lr: 0.1, momentum: 0.9, nesterov: true, weight_decay: 0.01 },
  { type: 'sparse_adam', lr: 0.02 },
  { type: 'adam', lr: 0.01 },
  { type: 'adamw', lr: 0.01, weight_decay: 0.1 },
  { type: 'adagrad', lr: 0.1 },
]

/** A model that learns by each optimizer: gradients, steps, their repetition, the checkpoint. */
export function* learning() {
  const card = { vocab_size: 60, embedding_dim: 4, max_position_embeddings: 16, seed: 7 }
  const binary = { ...ADMIN, 'content-type': 'application/vnd.safetensors' }
  const rows = tables({
    token_gradients: [3, 4],
    position_gradients: [2, 4],
    token_ids: [3],
    position_ids: [2],
  })
  const gradients = integers(rows, ['token_ids', 'position_ids'])
  for (const [i, optimizer] of OPTIMIZERS.entries()) {
    const path = `/v1/models/learns-${i}`
    const keyed = (key) => ({ ...binary, 'idempotency-key': key })
    yield put(path, card, ADMIN)
    yield put(`${path}/optimizer`, optimizer, ADMIN)
    yield put(`${path}/optimizer`, optimizer, ADMIN)
    yield post(`${path}/gradients`, gradients, keyed('a'))
    yield post(`${path}/gradients`, gradients, keyed('a'))
    yield post(`${path}/steps`, '{}', { ...ADMIN, 'idempotency-key': 'b' })
    yield post(`${path}/steps`, '{"scale":0.5}', { ...ADMIN, 'idempotency-key': 'b' })
    yield post(`${path}/steps`, '{}', { ...ADMIN, 'if-match': '"9"' })
    yield post(`${path}/steps`, '{}', { ...ADMIN, 'idempotency-key': 'c' })
    yield post(`${path}/gradients`, gradients.subarray(0, 90), keyed('d'))
    yield post(`${path}/gradients`, gradients, keyed('d'))
    yield post(`${path}/steps`, '{"scale":0.5,"lr":0.05}', { ...ADMIN, 'idempotency-key': 'e' })
    yield get(`${path}/optimizer`, ADMIN)
    yield get(`${path}/checkpoint`, ADMIN)
    yield get(`${path}/tables`, ADMIN)
    yield post('/v1/input-embeddings', { model: `learns-${i}`, input_ids: [1, 2, 3] }, accept(FORMATS[1]))
    yield get(`${path}/optimizer`, ADMIN, 'DELETE')
    yield get(`${path}/optimizer`, ADMIN)
  }
  yield put('/v1/models/learns-0/optimizer', { type: 'red' }, ADMIN)
  yield put('/v1/models/learns-0/optimizer', { type: 'sgd', lr: -1 }, ADMIN)
  yield put('/v1/models/absent/optimizer', OPTIMIZERS[0], ADMIN)
  yield put('/v1/models/static-words/optimizer', OPTIMIZERS[0], ADMIN)
}

/** The tensors of these names as int32 1, 2, 3 …. */
function integers(file, names) {
  const end = 8 + Number(file.readBigUInt64LE())
  const header = JSON.parse(file.toString('utf8', 8, end))
  for (const name of names) {
    header[name].dtype = 'I32'
    const [start, stop] = header[name].data_offsets
    for (let at = start; at < stop; at += 4) file.writeInt32LE(1 + (at - start) / 4, end + at)
  }
  file.write(JSON.stringify(header).padEnd(end - 8), 8)
  return file
}

const TEMPLATES = [
  '{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}\n{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}',
  '{{ bos_token }}{% for m in messages if m.role != "system" %}{{ loop.index }}: {{ m["content"] | upper }}{% endfor %}',
  '{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }} {{ tools | tojson }}',
  '{{ raise_exception("no") }}',
  '{% for %}',
  '{{ messages | absent }}',
]

/** Prompts and chats as token ids. */
export function* renders() {
  const messages = [
    { role: 'system', content: ' Be brief. ' },
    { role: 'user', content: 'Ünïcödé 👍' },
  ]
  for (const model of [
    'tokenizer-llama3',
    'tokenizer-qwen2',
    'static-words',
    'gpt2',
    'absent',
    'broken-shape',
  ]) {
    for (const prompt of ['Hello world', ['a', 'b'], [1, 2], '', 7])
      yield post('/v1/completions/render', { model, prompt })
    yield post('/v1/chat/completions/render', { model, messages })
    yield post('/v1/tokenize', { model, messages })
    for (const chat_template of TEMPLATES)
      yield post('/v1/chat/completions/render', { model, messages, chat_template })
    const chat_template = TEMPLATES[0]
    yield post('/v1/tokenize', { model, messages, chat_template })
    yield post('/v1/prompt-embeds', { model, messages, chat_template })
    yield post('/v1/chat/completions/render', { model, messages, chat_template, target: 'sglang' })
    yield post('/v1/chat/completions/render', { model, messages, chat_template, truncate_prompt_tokens: 4 })
    yield post('/v1/chat/completions/render', { model, messages: [], chat_template })
    yield post('/v1/chat/completions/render', { model, messages: [{ role: 'user' }], chat_template })
  }
}
