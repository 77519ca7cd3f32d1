import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { datasetFromIds } from '../../../../src/index.js'
import { documentsOf, GOLDENS } from '../../../first-layer/datasets/corpora.js'
import {
  type DatasetService,
  datasetService,
  get,
  numbersOf,
  PLACES,
  upload,
  uploadIds,
} from './dataset-service.js'

const sha256 = (values: readonly number[]) =>
  createHash('sha256')
    .update(new Uint8Array(Int32Array.from(values).buffer))
    .digest('hex')

const TENSORS = ['input_ids', 'target_ids', 'position_ids', 'segment_ids', 'attention_mask', 'cu_seq_lens']
const FEW = { context_length: 8, tail: 'pad', batch_size: 4 }

describe.each(PLACES)('batches of datasets kept in %s', (place) => {
  let service: DatasetService
  const ids: Record<string, string> = {}
  let plain: string
  beforeAll(async () => {
    service = await datasetService(place)
    for (const name of Object.keys(GOLDENS.datasets)) {
      ids[name] = await uploadIds(service, documentsOf(name), { encoding: 'gpt2' })
    }
    plain = await uploadIds(service, [
      [1, 2, 3, 4, 5],
      [6, 7],
    ])
  })
  afterAll(() => service.close())

  test.each(GOLDENS.cases)('$id is as the law in plain Python gives it', async (golden) => {
    const id = ids[golden.dataset]!
    const recipe = golden.recipe as unknown as Record<string, string>
    const plan = (await get(service, `${id}/batches`, recipe)).json()
    const slots = golden.num_windows * golden.recipe.context_length
    expect(plan).toMatchObject({
      ...{ dataset: id, num_windows: golden.num_windows, num_padding: slots - golden.slots_filled },
      fill: golden.slots_filled / slots,
      longest_document: Math.max(...GOLDENS.datasets[golden.dataset]!.lengths),
    })
    for (const expected of golden.expect.filter((_, i) => i % 4 === 0)) {
      const { batch, epoch = 0, rank = 0, world_size = 1 } = expected
      const query = { ...recipe, epoch, rank, world_size, outputs: TENSORS.join(',') }
      const answer = await get(service, `${id}/batches/${batch}`, query)
      expect(answer.statusCode, answer.body).toBe(200)
      const hashes = TENSORS.map((name) => [`${name}_sha256`, sha256(numbersOf(answer, name))])
      for (const [name, hash] of hashes as [`${string}_sha256`, string][])
        expect(hash, name).toBe(expected[name])
      expect(answer.json().outputs.input_ids.shape).toEqual([expected.num_rows, golden.recipe.context_length])
    }
  })

  test('a plan of documents one behind the other says that nothing ends them', async () => {
    const lines = '{"input_ids":[1,2,3]}\n{"input_ids":[4,5,6]}'
    const query = { context_length: 2, batch_size: 1 }
    for (const [end, packing, has] of [
      [undefined, 'concat', true],
      [9, 'concat', false],
      [undefined, 'none', false],
    ]) {
      const options = end === undefined ? {} : { document_end: end }
      const { id } = (await upload(service, 'application/x-ndjson', lines, options)).json()
      const { note } = (await get(service, `${id}/batches`, { ...query, packing })).json()
      expect([end, packing, note?.includes('document_end') ?? false]).toEqual([end, packing, has])
    }
  })

  test('a recipe without a window or a batch is refused, not an empty loop', async () => {
    const { id } = (await upload(service, 'application/x-ndjson', '{"input_ids":[1,2,3]}')).json()
    const cases = [
      [{ context_length: 4, batch_size: 1 }, 'context_length', /needs 5 tokens .* Given: no window$/],
      [{ context_length: 4, batch_size: 1, packing: 'concat' }, 'context_length', /`tail` pad makes one/],
      [{ context_length: 1, batch_size: 3, drop_last: true }, 'batch_size', /3 windows\. Given: 2 windows$/],
      [
        { context_length: 2, batch_size: 1, drop_last: true, sharding: 'distributed_sampler', world_size: 2 },
        ...['batch_size', /needs 2 windows\. Given: 1 window$/],
      ],
    ] as const
    for (const [query, param, message] of cases) {
      for (const path of ['batches', 'batches/0']) {
        const answer = await get(service, `${id}/${path}`, query)
        expect(answer.statusCode, path).toBe(422)
        expect(answer.json().error).toMatchObject({ code: 'no_windows', param })
        expect(answer.json().error.message).toMatch(message)
      }
      const data = datasetFromIds([[1, 2, 3]])
      expect(() => data.plan(query)).toThrow(expect.objectContaining({ code: 'no_windows' }))
      await expect(data.batches(query).next()).rejects.toMatchObject({ code: 'no_windows' })
    }
  })

  test('a plan that leaves out more than a hundredth of the tokens says so', async () => {
    const noteOf = async (length: number, query: object) => {
      const lines = JSON.stringify({ input_ids: Array.from({ length }, (_, i) => i) })
      const { id } = (await upload(service, 'application/x-ndjson', lines, { encoding: 'gpt2' })).json()
      const { note } = (await get(service, `${id}/batches`, { batch_size: 1, ...query })).json()
      return note
    }
    expect(await noteOf(13, { context_length: 4 })).toBeUndefined()
    expect(await noteOf(16, { context_length: 4 })).toBe(
      '18.8 % of the tokens, 3 of 16, are in no window: packing best_fit or tail pad keeps all, packing concat all but the last few.',
    )
    expect(await noteOf(16, { context_length: 4, tail: 'pad' })).toBeUndefined()
    const truncated = { context_length: 4, packing: 'best_fit', long_documents: 'truncate' }
    expect(await noteOf(16, truncated)).toMatch('long_documents split keeps them')
    expect(await noteOf(200, { context_length: 99 })).toBeUndefined() // 1 of 200
  })

  const few = () => ids.few!
  const recipes = ['none', 'concat', 'best_fit'].flatMap((packing) =>
    ['false', 'true', 'index'].flatMap((shuffle) =>
      ['global_batch', 'distributed_sampler']
        .filter((sharding) => shuffle !== 'index' || sharding === 'global_batch')
        .map((sharding) => ({ packing, shuffle, sharding })),
    ),
  )

  test.each(recipes)('$packing, shuffle $shuffle, $sharding: as the library, batch by batch', async (by) => {
    const data = datasetFromIds(documentsOf('few'))
    const recipe = { ...FEW, ...by, seed: 11, world_size: 2, pad_token_id: 50256, epoch: 1, num_batches: 2 }
    const shuffle = by.shuffle === 'index' ? 'index' : by.shuffle === 'true'
    const { num_batches: total } = (await get(service, `${few()}/batches`, recipe)).json()
    const own = { ...recipe, shuffle } as Parameters<typeof data.plan>[0]
    expect(total).toBe(data.plan(own).numBatches)
    for (const rank of [0, 1]) {
      for (const i of [0, Math.max(0, total - 1)]) {
        const answer = await get(service, `${few()}/batches/${i}`, {
          ...recipe,
          rank,
          outputs: TENSORS.join(','),
        })
        const expected = await data.batch(i, { ...own, rank })
        for (const name of TENSORS) {
          expect(numbersOf(answer, name), `${name}, ${i}`).toEqual([...expected[name as 'input_ids']])
        }
      }
    }
  })

  test('a rank that has no row in the last batch gets tensors of none', async () => {
    const five = await uploadIds(service, [Array.from({ length: 21 }, (_, i) => i)], { encoding: 'gpt2' })
    const query = { context_length: 4, batch_size: 4, world_size: 4, rank: 3 }
    const answer = await get(service, `${five}/batches/1`, query)
    expect(answer.json().outputs.input_ids).toEqual({ dtype: 'int32', shape: [0, 4], data: [] })
    const base64 = await get(service, `${five}/batches/1`, { ...query, encoding_format: 'base64' })
    expect(base64.json().outputs.input_ids.data).toBe('')
    for (const format of ['octet-stream', 'x-npy', 'x-pytorch']) {
      const accept = `application/${format}`
      const one = await get(service, `${five}/batches/1`, { ...query, outputs: 'input_ids' }, { accept })
      expect([one.statusCode, one.headers['content-length']], format).toEqual([
        200,
        String(one.rawPayload.length),
      ])
    }
    const file = await get(service, `${five}/batches/1`, query, { accept: 'application/vnd.safetensors' })
    expect([file.statusCode, file.rawPayload.toString('latin1')]).toEqual([
      200,
      expect.stringContaining('[0,4]'),
    ])
  })

  test('answers with default outputs, facts and headers', async () => {
    const outputs = async (recipe: object) =>
      Object.keys(
        (await get(service, `${few()}/batches/0`, { context_length: 8, batch_size: 2, ...recipe })).json()
          .outputs,
      )
    expect(await outputs({})).toEqual(['input_ids', 'target_ids'])
    expect(await outputs({ tail: 'pad' })).toEqual(['input_ids', 'target_ids', 'attention_mask'])
    expect(await outputs({ packing: 'concat' })).toEqual(['input_ids', 'target_ids', 'segment_ids'])
    const all = ['input_ids', 'target_ids', 'attention_mask', 'segment_ids']
    expect(await outputs({ packing: 'best_fit' })).toEqual(all)
    expect(await outputs({ packing: 'concat', tail: 'pad' })).toEqual(all)

    const plan = (await get(service, `${few()}/batches`, FEW)).json()
    const answer = await get(service, `${few()}/batches/2`, { ...FEW, num_batches: 3 })
    const { outputs: _, ...facts } = answer.json()
    expect(facts).toEqual({
      ...{
        dataset: few(),
        recipe_id: plan.recipe_id,
        epoch: 0,
        batch_index: 2,
        num_batches: plan.num_batches,
      },
    })
    expect(answer.headers).toMatchObject({
      ...{ 'x-recipe-id': plan.recipe_id, 'x-epoch': '0', 'x-batch-index': '2' },
      'x-num-batches': String(plan.num_batches),
      'cache-control': 'private, max-age=31536000, immutable',
    })
  })

  test('`Link` walks through epochs, each batch once', async () => {
    const { num_batches: total } = (await get(service, `${few()}/batches`, { ...FEW, batch_size: 32 })).json()
    const seen: string[] = []
    const query = 'context_length=8&tail=pad&batch_size=32&shuffle=index&seed=5'
    let path: string | undefined = `/v1/datasets/${few()}/batches/0?${query}`
    while (path !== undefined && seen.length < 2 * total) {
      const answer: Awaited<ReturnType<typeof get>> = await service.app.inject(path)
      const { epoch, batch_index: i } = answer.json()
      seen.push(`${epoch}/${i}`)
      path = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link as string)?.[1]
    }
    const expected = [0, 1].flatMap((epoch) => Array.from({ length: total }, (_, i) => `${epoch}/${i}`))
    expect(seen).toEqual(expected)
    const last = { ...FEW, shuffle: 'true', seed: 1, epoch: 1000 }
    const end = await get(
      service,
      `${few()}/batches/${lastBatch(await get(service, `${few()}/batches`, last))}`,
      last,
    )
    expect(end.statusCode).toBe(200)
    expect(end.headers.link).toBeUndefined() // PyTorch's order has no epoch 1,001
  })

  test('a strong tag of all that decides the bytes; 304 and ranges', async () => {
    const path = `${few()}/batches/0`
    const tag = async (query: object, headers = {}) =>
      (await get(service, path, { ...FEW, ...query }, headers)).headers.etag as string
    const file = { accept: 'application/vnd.safetensors' }
    const tags = [
      await tag({}),
      await tag({ epoch: 1 }),
      await tag({ num_batches: 2 }),
      await tag({ outputs: 'input_ids' }),
      await tag({ ids_dtype: 'int64' }),
      await tag({ world_size: 2 }),
      await tag({ rank: 1, world_size: 2 }),
      await tag({ seed: 3, shuffle: 'index' }),
      await tag({ outputs: 'input_embeddings' }),
      await tag({}, file),
    ]
    expect(new Set(tags).size).toBe(tags.length)
    for (const each of tags) expect(each).toMatch(/^"[^"]+"$/)
    expect(await tag({ stride: 8 })).toBe(tags[0])
    const known = await get(service, path, FEW, { 'if-none-match': tags[0]! })
    expect([known.statusCode, known.body, known.headers.etag]).toEqual([304, '', tags[0]])

    const whole = (await get(service, path, FEW, file)).rawPayload
    const part = await get(service, path, FEW, { ...file, range: 'bytes=8-31' })
    expect(part.statusCode).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 8-31/${whole.length}`)
    expect(part.rawPayload.equals(whole.subarray(8, 32))).toBe(true)
    const beyond = await get(service, path, FEW, { ...file, range: `bytes=${whole.length}-` })
    expect([beyond.statusCode, beyond.headers['content-range']]).toEqual([416, `bytes */${whole.length}`])
    const { etag, link, 'cache-control': kept } = beyond.headers
    expect([etag, link, kept], 'an error is nothing to keep for a year').toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('rows of a model come with its version, and are not kept for good', async () => {
    const answer = await get(service, `${few()}/batches/0`, { ...FEW, outputs: 'input_ids,input_embeddings' })
    expect(answer.json()).toMatchObject({ model: 'default', model_version: '1' })
    expect(answer.headers['cache-control']).toBe('no-cache')
    const alone = await service.app.inject({
      method: 'POST',
      url: '/v1/input-embeddings',
      payload: {
        input_ids: documentsOf('few'),
        context_length: 8,
        tail: 'pad',
        batch_size: 4,
        batch_index: 0,
      },
    })
    expect(numbersOf(answer, 'input_embeddings')).toEqual(
      (alone.json().outputs.input_embeddings.data as number[][][]).flat(2),
    )
  })

  test('formats that carry one tensor carry it', async () => {
    const query = { ...FEW, outputs: 'input_ids' }
    const path = `${few()}/batches/0`
    const ids = numbersOf(await get(service, path, query), 'input_ids')
    const raw = (await get(service, path, query, { accept: 'application/octet-stream' })).rawPayload
    expect([...new Int32Array(new Uint8Array(raw).buffer)]).toEqual(ids)
    const npy = (await get(service, path, query, { accept: 'application/x-npy' })).rawPayload
    expect(npy.subarray(npy.length - raw.length).equals(raw)).toBe(true)
    for (const accept of ['application/octet-stream', 'application/x-npy']) {
      for (const outputs of [{}, { outputs: 'input_ids,target_ids' }]) {
        const answer = await get(service, path, { ...FEW, ...outputs }, { accept })
        expect([answer.statusCode, answer.json().error.param]).toEqual([400, 'outputs'])
      }
    }
    expect((await get(service, path, query, { accept: 'text/csv' })).statusCode).toBe(406)
  })

  test('a recipe’s id guards it', async () => {
    const { recipe_id } = (await get(service, `${few()}/batches`, FEW)).json()
    for (const path of [`${few()}/batches`, `${few()}/batches/0`]) {
      expect((await get(service, path, { ...FEW, recipe_id, epoch: 3, rank: 0 })).statusCode).toBe(200)
      const other = await get(service, path, { ...FEW, recipe_id, stride: 4 })
      expect([other.statusCode, other.json().error.code]).toEqual([409, 'recipe_mismatch'])
    }
    const sharded = { world_size: 2, batch_size: 4 }
    expect((await get(service, `${few()}/batches`, { ...FEW, ...sharded })).json().recipe_id).toBe(recipe_id)
  })

  test.each<[string, Record<string, string | number>, number, string, string | null]>([
    ['a batch beyond the last', { batch: 1000 }, 422, 'batch_out_of_range', 'batch'],
    ['no context_length', { context_length: '' }, 400, 'invalid_request', 'context_length'],
    ['a batch of no row for a rank', { world_size: 3 }, 400, 'invalid_request', 'batch_size'],
    ['an output of mixtures', { outputs: 'dataset_index' }, 422, 'unsupported_combination', 'outputs'],
    ['an unknown field', { batchsize: 1 }, 400, 'invalid_request', 'batchsize'],
    [
      'a model of another encoding',
      { outputs: 'input_embeddings', model: 'none' },
      404,
      'model_not_found',
      'model',
    ],
  ])('refuses %s', async (_, { batch = 0, ...fields }, status, code, param) => {
    const answer = await get(service, `${few()}/batches/${batch}`, { ...FEW, ...fields })
    expect([answer.statusCode, answer.json().error.code], answer.body).toEqual([status, code])
    expect(answer.json().error.param).toBe(param)
  })

  test('ids of no encoding need a pad id where a window can be padded, and a model that has rows for them', async () => {
    const query = { context_length: 4, batch_size: 1 }
    expect((await get(service, `${plain}/batches/0`, query)).statusCode).toBe(200)
    for (const by of [{ tail: 'pad' }, { packing: 'best_fit' }]) {
      const answer = await get(service, `${plain}/batches/0`, { ...query, ...by })
      expect([answer.statusCode, answer.json().error.param]).toEqual([400, 'pad_token_id'])
      const padded = await get(service, `${plain}/batches/0`, { ...query, ...by, pad_token_id: 9 })
      expect(padded.statusCode, padded.body).toBe(200)
    }
    expect(
      (await get(service, `${plain}/batches/0`, { ...query, outputs: 'input_embeddings' })).statusCode,
    ).toBe(200)
    const large = await uploadIds(service, [[1, 2, 3, 4, 50_257, 5]])
    const answer = await get(service, `${large}/batches/0`, {
      context_length: 5,
      batch_size: 1,
      outputs: 'input_embeddings',
    })
    expect([answer.statusCode, answer.json().error.code]).toEqual([422, 'token_out_of_range'])
    expect((await get(service, `${large}/batches/0`, { context_length: 5, batch_size: 1 })).statusCode).toBe(
      200,
    )
    const other = await uploadIds(service, [[1, 2, 3, 4, 5]], { encoding: 'cl100k_base' })
    const rows = await get(service, `${other}/batches/0`, { ...query, outputs: 'input_embeddings' })
    expect([rows.statusCode, rows.json().error.code]).toEqual([422, 'encoding_mismatch'])
    expect((await get(service, `${other}/batches/0`, query)).statusCode).toBe(200)
  })
})

/** The last batch of a plan. */
function lastBatch(answer: { json(): { num_batches: number } }): number {
  return answer.json().num_batches - 1
}
