import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const { mixture: GOLDEN } = GOLDENS

const sha256 = (values: readonly number[]) =>
  createHash('sha256')
    .update(new Uint8Array(Int32Array.from(values).buffer))
    .digest('hex')

describe.each(PLACES)('mixtures kept in %s', (place) => {
  let service: DatasetService
  const members: string[] = []
  beforeAll(async () => {
    service = await datasetService(place)
    for (const name of GOLDEN.members) {
      members.push(await uploadIds(service, documentsOf(name), { encoding: 'gpt2' }))
    }
  })
  afterAll(() => service.close())

  const mix = (mixture: object, more: object = {}) =>
    upload(service, 'application/json', { mixture, ...more })
  const equal = () => members.map((dataset) => ({ dataset, weight: 1 }))

  test('gives the windows that plain Python computes, stage by stage', async () => {
    const stages = GOLDEN.stages.map(([from_window, weights]) => ({ from_window, weights }))
    const made = await mix(
      members.map((dataset) => ({ dataset })),
      { stages, name: 'all' },
    )
    expect(made.statusCode, made.body).toBe(201)
    const { id } = made.json()
    expect(made.json()).toMatchObject({
      object: 'dataset',
      name: 'all',
      encoding: 'gpt2',
      stages,
      stored: place,
    })
    expect(id).toMatch(/^mx_[a-z2-7]{26}$/)
    expect(made.headers.location).toBe(`/v1/datasets/${id}`)
    expect((await get(service, id)).json()).toEqual(made.json())
    expect(
      (
        await mix(
          members.map((dataset) => ({ dataset })),
          { stages },
        )
      ).statusCode,
    ).toBe(200)

    const recipe = GOLDEN.recipe as unknown as Record<string, string>
    const plan = (await get(service, `${id}/batches`, recipe)).json()
    expect(plan).not.toHaveProperty('num_batches')
    expect(plan.shares.map(({ dataset }: { dataset: string }) => dataset)).toEqual(members)
    expect(plan.shares.map((share: { num_windows: number }) => share.num_windows)).toEqual(GOLDEN.num_windows)
    for (const s of GOLDEN.stages.keys()) {
      const blocks = plan.shares.map((share: { windows_per_block: number[] }) => share.windows_per_block[s]!)
      expect(blocks.reduce((sum: number, n: number) => sum + n)).toBe(1024)
    }
    for (const expected of GOLDEN.expect) {
      const query = { ...recipe, outputs: 'input_ids,dataset_index' }
      const answer = await get(service, `${id}/batches/${expected.batch}`, query)
      expect(sha256(numbersOf(answer, 'dataset_index'))).toBe(expected.dataset_index_sha256)
      expect(sha256(numbersOf(answer, 'input_ids'))).toBe(expected.input_ids_sha256)
      expect(answer.headers).not.toHaveProperty('x-num-batches')
      expect(answer.headers.link).toContain(`/batches/${expected.batch + 1}?`)
    }
  })

  test.each<[string, () => object, number, string]>([
    ['no member', () => ({ mixture: [] }), 400, 'invalid_request'],
    ['a weight of zero', () => ({ mixture: [{ dataset: members[0], weight: 0 }] }), 400, 'invalid_request'],
    ['no weight', () => ({ mixture: [{ dataset: members[0] }] }), 400, 'invalid_request'],
    [
      'a member that is not there',
      () => ({ mixture: [{ dataset: 'ds_none', weight: 1 }] }),
      404,
      'dataset_not_found',
    ],
    [
      '65 members',
      () => ({ mixture: Array(65).fill({ dataset: members[0], weight: 1 }) }),
      400,
      'invalid_request',
    ],
    [
      'a stage within a block',
      () => ({ mixture: equal(), stages: [{ from_window: 5, weights: [1, 1, 1] }] }),
      400,
      'invalid_request',
    ],
    ['no JSON', () => ({ datasets: [] }), 400, 'invalid_request'],
  ])('refuses %s', async (_, body, status, code) => {
    const answer = await upload(service, 'application/json', body())
    expect([answer.statusCode, answer.json().error.code], answer.body).toEqual([status, code])
  })

  test('refuses members of several encodings, mixtures, and what does not end', async () => {
    const other = await uploadIds(service, [[1, 2, 3, 4, 5]], { encoding: 'cl100k_base' })
    const both = await mix([...equal(), { dataset: other, weight: 1 }])
    expect([both.statusCode, both.json().error.code]).toEqual([422, 'encoding_mismatch'])
    const { id } = (await mix(equal())).json()
    const nested = await mix([{ dataset: id, weight: 1 }])
    expect([nested.statusCode, nested.json().error.code]).toEqual([404, 'dataset_not_found'])
    const missing = await mix([
      { dataset: members[0], weight: 1 },
      { dataset: 'ds_none', weight: 1 },
    ])
    expect(missing.json().error.param).toBe('mixture.1.dataset')
    const beyond = await get(service, `${id}/batches/${2 ** 41}`, { context_length: 8, batch_size: 2 })
    expect([beyond.json().error.code, beyond.json().error.param]).toEqual(['batch_out_of_range', 'batch'])
    for (const [field, value] of Object.entries({
      ...{ shuffle: 'true', epoch: 1, drop_last: true, sharding: 'distributed_sampler' },
    })) {
      const query = { context_length: 8, batch_size: 2, seed: 1, [field]: value }
      for (const path of [`${id}/batches`, `${id}/batches/0`]) {
        const answer = await get(service, path, query)
        expect([answer.statusCode, answer.json().error.param], field).toEqual([400, field])
      }
    }
    for (const path of [`${id}/tokens`, `${id}/documents/0`]) {
      expect((await get(service, path)).json().error.code).toBe('dataset_not_found')
    }
  })

  test('a member that is deleted makes its batches 404, which name it', async () => {
    const short = await uploadIds(service, [[1, 2, 3, 4, 5]], { encoding: 'gpt2' })
    const { id } = (await mix([...equal(), { dataset: short, weight: 1 }])).json()
    const query = { context_length: 4, batch_size: 2 }
    expect((await get(service, `${id}/batches/0`, query)).statusCode).toBe(200)
    await service.app.inject({ method: 'DELETE', url: `/v1/datasets/${short}` })
    const answer = await get(service, `${id}/batches/0`, query)
    expect([answer.statusCode, answer.json().error.code]).toEqual([404, 'dataset_not_found'])
    expect(answer.json().error.message).toContain(short)
    expect((await get(service, id)).statusCode).toBe(200)
  })
})
