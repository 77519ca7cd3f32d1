import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { chats, folderOf, type GoldenUpload, runsOf } from '../../first-layer/datasets/chats/golden-chats.js'
import { type TestService, testService } from '../../helper.js'

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: folderOf(''), MODELS: undefined }, () => {})
  service = await testService({}, { folders, hasDatasets: true })
})
afterAll(() => service.close())

async function upload(model: string, lines: readonly object[], query: object) {
  const fields = new URLSearchParams({ model, ...query } as Record<string, string>)
  const payload = lines.map((line) => JSON.stringify(line)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await service.app.inject({ method: 'POST', url: `/v1/datasets?${fields}`, headers, payload })
  return { status: answer.statusCode, json: answer.json() }
}

async function get(url: string) {
  const answer = await service.app.inject({ url })
  expect(answer.statusCode, answer.body).toBe(200)
  return { headers: answer.headers, json: answer.json() }
}

interface Document {
  readonly ids: readonly number[]
  readonly mask: readonly number[]
}

/** The tensors of a window, as the reference has them. */
function tensorsOf(
  documents: readonly Document[],
  window: GoldenUpload['batches'][0]['windows'][0],
  T: number,
  pad: number,
) {
  const slots = window.flatMap(([d, start, length]) => {
    const { ids, mask } = documents[d]
    return Array.from({ length }, (_, i) => {
      const at = start + i
      const target = at + 1 < ids.length && mask[at + 1] === 1 ? ids[at + 1] : -100
      return [ids[at], target, mask[at], mask[at] === 1 && i > 0 ? ids[at] : -100]
    })
  })
  while (slots.length < T) slots.push([pad, -100, 0, -100])
  return {
    input_ids: slots.map((s) => s[0]),
    target_ids: slots.map((s) => s[1]),
    loss_mask: slots.map((s) => s[2]),
    labels: slots.map((s) => s[3]),
  }
}

describe.each(Object.keys(chats.folders))('%s', (model) => {
  const { files, ids: lists, uploads } = chats.folders[model]

  test.each(uploads.map((each) => [each.file, JSON.stringify(each.query), each] as const))(
    '%s %s: the reference’s object, documents, plans and batches',
    async (_, __, golden) => {
      const { query } = golden
      const { status, json } = await upload(model, files[golden.file], { ...query, refused: 'skip' })
      expect([200, 201], JSON.stringify(json)).toContain(status)
      expect(json.chats).toEqual(golden.chats)
      const isWhole = query.mask !== 'sampled'
      expect(json).toMatchObject({
        mask: query.mask,
        turns: isWhole ? 'whole' : (query.turns ?? 'auto'),
        trailing: query.trailing ?? 'mask',
      })
      const documents: Document[] = []
      for (const [d, [, , place, trained]] of golden.documents.entries()) {
        const { json: document } = await get(`/v1/datasets/${json.id}/documents/${d}`)
        expect(document.input_ids).toEqual(lists[place])
        expect(runsOf(document.loss_mask)).toEqual(trained)
        documents.push({ ids: document.input_ids, mask: document.loss_mask })
      }
      expect(json.num_documents).toBe(documents.length)
      for (const { recipe, windows, ...facts } of golden.batches) {
        const pad = 0
        const fields = { tail: 'pad', pad_token_id: pad, ...recipe, batch_size: windows.length }
        const asked = new URLSearchParams(
          JSON.parse(JSON.stringify(fields), (_, value) =>
            typeof value === 'object' ? value : String(value),
          ),
        )
        const { json: plan } = await get(`/v1/datasets/${json.id}/batches?${asked}`)
        expect(plan).toMatchObject({ ...facts, num_windows: windows.length })
        asked.set('outputs', 'input_ids,target_ids,loss_mask,labels')
        const { json: batch, headers } = await get(`/v1/datasets/${json.id}/batches/0?${asked}`)
        expect(batch.num_target_tokens).toBe(facts.num_target_tokens)
        expect(headers['x-num-target-tokens']).toBe(String(facts.num_target_tokens))
        for (const [row, window] of windows.entries()) {
          const expected = tensorsOf(documents, window, Number(recipe.context_length), pad)
          for (const [name, values] of Object.entries(expected))
            expect(batch.outputs[name].data[row], `${name} ${row}`).toEqual(values)
        }
      }
    },
  )
})

test.each(
  chats.errors.map((each) => [each.folder, each.file ?? 'lines', JSON.stringify(each.query), each] as const),
)(
  '%s %s %s is refused, and nothing is stored',
  async (folder, file, _, { lines, query, status, code, line, turn, reason }) => {
    const before = (await get('/v1/datasets')).json.data.length
    const answer = await upload(folder, lines ?? chats.folders[folder].files[file], query)
    expect(answer.status, JSON.stringify(answer.json)).toBe(status)
    const { error } = answer.json
    expect(error.code).toBe(code)
    if (line !== undefined) expect(error.message).toMatch(new RegExp(`^Line ${line}: `))
    if (code === 'chat_refused')
      expect(error).toMatchObject({ message: expect.stringContaining(reason!), param: `messages.${turn}` })
    expect((await get('/v1/datasets')).json.data.length).toBe(before)
  },
)

test('num_target_tokens counts the targets of all ranks, whoever asks, under either sharding and in a mixture', async () => {
  const { json } = await upload('headers', chats.folders.headers.files.chats, {})
  const { json: plain } = await upload(
    'headers',
    [{ text: 'The keeper hears 41 tides at dawn. '.repeat(20) }],
    {},
  )
  const mixture = {
    mixture: [
      { dataset: json.id, weight: 1 },
      { dataset: plain.id, weight: 1 },
    ],
  }
  const mixed = await service.app.inject({ method: 'POST', url: '/v1/datasets', payload: mixture })
  const shapes = [
    [json.id, { batch_size: 4, shuffle: 'true', seed: 3 }],
    [json.id, { batch_size: 2, shuffle: 'true', seed: 3, sharding: 'distributed_sampler' }],
    [json.id, { batch_size: 4, packing: 'concat', num_batches: 2 }],
    [mixed.json().id, { batch_size: 8, shuffle: 'index', seed: 3, packing: 'best_fit' }],
  ] as const
  for (const [id, shape] of shapes) {
    const ranks = await Promise.all(
      [0, 1].map(async (rank) => {
        const fields = {
          context_length: 32,
          tail: 'pad',
          pad_token_id: 0,
          ...shape,
          rank,
          world_size: 2,
          outputs: 'target_ids',
        }
        const asked = new URLSearchParams(
          Object.entries(fields).map(([name, value]): [string, string] => [name, `${value}`]),
        )
        return (await get(`/v1/datasets/${id}/batches/1?${asked}`)).json
      }),
    )
    const targets = ranks
      .flatMap(({ outputs }) => outputs.target_ids.data.flat())
      .filter((id: number) => id !== -100)
    expect(targets.length, JSON.stringify(shape)).toBeGreaterThan(0)
    for (const { num_target_tokens } of ranks)
      expect(num_target_tokens, JSON.stringify(shape)).toBe(targets.length)
  }
})

/** The vocabulary's own words, in chats of many lengths. */
const drawn = Array.from({ length: 90 }, (_, i) => ({
  messages: Array.from({ length: 2 * (1 + (i % 3)) }, (_, turn) => ({
    role: turn % 2 === 0 ? 'user' : 'assistant',
    content: `The keeper hears ${i} tides at dawn. `.repeat(1 + ((i * 7 + turn * 3) % 5)),
  })),
}))

test.each([
  { packing: 'none', tail: 'pad', shuffle: 'true' },
  { packing: 'best_fit', long_documents: 'drop', context_length: '256', shuffle: 'index' },
  { packing: 'concat', tail: 'pad', shuffle: 'index' },
])('three epochs of chats under $packing are the same on 1, 8 and 3 ranks', async (shape) => {
  const { json } = await upload('thinking', drawn, { turns: 'each' })
  const names = ['input_ids', 'target_ids', 'loss_mask', 'labels']
  const url = (path: string, fields: object) =>
    `/v1/datasets/${json.id}/batches${path}?${new URLSearchParams(fields as Record<string, string>)}`
  const recipe = { context_length: '64', ...shape, batch_size: '24', pad_token_id: '0', seed: '5' }
  const epochs = ['0', '1', '2']
  const plans = await Promise.all(epochs.map((epoch) => get(url('', { ...recipe, epoch }))))
  const stream = async (world: number) => {
    const hash = createHash('sha256')
    for (const [epoch, { json: plan }] of plans.entries())
      for (let batch = 0; batch < plan.num_batches; batch++) {
        const asked = { ...recipe, epoch: `${epoch}`, world_size: `${world}`, outputs: names.join() }
        const ranks = await Promise.all(
          Array.from({ length: world }, (_, rank) => get(url(`/${batch}`, { ...asked, rank: `${rank}` }))),
        )
        for (const name of names)
          hash.update(JSON.stringify(ranks.flatMap((rank) => rank.json.outputs[name].data)))
      }
    return hash.digest('hex')
  }
  expect(plans[0]!.json.num_batches).toBeGreaterThan(2)
  const whole = await stream(1)
  expect(await stream(8)).toBe(whole)
  expect(await stream(3)).toBe(whole)
})

test('a packing of documents that are all too long, or untrained, says so', async () => {
  const { json } = await upload('thinking', drawn.slice(0, 3), {})
  const untrained = [{ messages: [{ role: 'user', content: 'The keeper.' }] }]
  const { json: none } = await upload('thinking', untrained, {})
  const recipe = { context_length: '8', batch_size: '2', packing: 'best_fit' }
  for (const [id, fields] of [
    [json.id, { ...recipe, long_documents: 'drop' }],
    [none.id, { ...recipe, context_length: '64' }],
  ] as const) {
    const url = `/v1/datasets/${id}/batches?${new URLSearchParams(fields)}`
    const { error } = (await service.app.inject({ url })).json()
    expect(error.code).toBe('no_windows')
    expect(error.message).toMatch(
      /^`context_length` \d+ leaves no piece with a target: `long_documents` drop/,
    )
  }
})

test('chat_template in the query names one of the model’s: a slip is not taken as a template of its own', async () => {
  const chat = [{ messages: [{ role: 'assistant', content: 'Ahoy.' }] }]
  for (const [model, has] of [
    ['two-templates', 'default, tool_use'],
    ['chatml', 'none by name'],
  ] as const) {
    const { status, json } = await upload(model, chat, { chat_template: 'tool-use' })
    expect([status, json.error.message, json.error.param]).toEqual([
      400,
      `\`chat_template\` must name a template of the model’s, which has ${has}. Given: "tool-use"`,
      'chat_template',
    ])
  }
})

test('a plan says of pieces without a target why they are in no window', async () => {
  const { json } = await upload(
    'chatml',
    [
      { messages: [{ role: 'user', content: 'The keeper. '.repeat(20) }] },
      { messages: [{ role: 'assistant', content: 'Ahoy.' }] },
    ],
    {},
  )
  const url = `/v1/datasets/${json.id}/batches?context_length=64&batch_size=1&packing=best_fit`
  const { note } = (await service.app.inject({ url })).json()
  expect(note).toMatch(/are in no window: they have no target\.$/)
})

test('a template without a chat behind it is no upload', async () => {
  const { status, json } = await upload('chatml', [{ chat_template: 'a' }], {})
  expect([status, json.error.code, json.error.message]).toEqual([
    400,
    'empty_input',
    'The body must have a chat behind its `chat_template`. Given: none',
  ])
})

test.each(['labels', 'loss_mask', 'assistant_masks', 'completion_mask'])(
  'a chat’s own `%s` is refused by its line: it would be lost',
  async (name) => {
    const [chat] = drawn
    const lines = [chat!, { ...chat, [name]: null, source: 'a' }, { ...chat, [name]: [0, 1] }]
    const { status, json } = await upload('chatml', lines, {})
    expect([status, json.error.code, json.error.param]).toEqual([400, 'invalid_request', name])
    expect(json.error.message).toContain(`Line 3: \`${name}\` must not be given`)
  },
)
