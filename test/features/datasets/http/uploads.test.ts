import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testService } from '../../../helper.js'
import { type DatasetService, datasetService, get, PLACES, upload } from './dataset-service.js'

const LINES = 'Hello, world!\n\nGood morning\n'

describe.each(PLACES)('uploads of datasets kept in %s', (place) => {
  let service: DatasetService
  beforeAll(async () => {
    service = await datasetService(place)
  })
  afterAll(() => service.close())

  test('text is one document, or one a line; the same content twice is one dataset', async () => {
    const one = await upload(service, 'text/plain', LINES, { encoding: 'gpt2', name: 'a' })
    expect(one.statusCode).toBe(201)
    const card = one.json()
    expect(card).toEqual({
      id: expect.stringMatching(/^ds_[a-z2-7]{26}$/),
      object: 'dataset',
      ...{ name: 'a', encoding: 'gpt2', allowed_special: ['<|endoftext|>'], document_end: null },
      ...{ document_start: null, document_start_literal: null, document_end_literal: null },
      ...{ num_documents: 1, num_tokens: 9, num_characters: LINES.length, dtype: 'uint16' },
      ...{ size_bytes: 2 * 9 + 2 * 8, max_token_id: 15496, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ created: expect.any(Number), stored: place },
    })
    expect(one.headers.location).toBe(`/v1/datasets/${card.id}`)
    expect((await get(service, card.id)).json()).toEqual(card)

    const again = await upload(service, 'text/plain', LINES, { encoding: 'gpt2', name: 'b' })
    expect(again.statusCode).toBe(200)
    expect(again.json()).toEqual(card)

    const long = await upload(service, 'text/plain', LINES, { encoding: 'gpt2', name: 'a'.repeat(257) })
    expect(long.json().error.message).toContain('`name` must have at most 256 characters.')
    expect(again.headers.location).toBe(one.headers.location)

    const query = { encoding: 'gpt2', documents: 'lines', document_end: 'endoftext' }
    const lines = (await upload(service, 'text/plain', LINES, query)).json()
    expect(lines).toMatchObject({ num_documents: 2, num_tokens: 8, document_end: 50256 })
    expect(lines).toMatchObject({ document_end_literal: '<|endoftext|>', document_start: null })
    const start = { ...query, document_start: '50256', document_end: 'eos' }
    const framed = (await upload(service, 'text/plain', LINES, start)).json()
    expect(framed).toMatchObject({
      num_tokens: 10,
      document_start: 50256,
      document_start_literal: '<|endoftext|>',
    })
    const first = (await get(service, `${framed.id}/documents/0`)).json()
    expect(first.text).toBe('<|endoftext|>Hello, world!<|endoftext|>')
    expect(lines.id).not.toBe(card.id)
    const second = (await get(service, `${lines.id}/documents/1`)).json()
    expect(second).toMatchObject({ document: 1, start: 5, num_tokens: 3, text: 'Good morning<|endoftext|>' })
    expect(second.input_ids).toEqual([10248, 3329, 50256])
  })

  test('JSON lines, ids without a header, a packed body: the same ids under one encoding are one dataset', async () => {
    const ids = [15496, 11, 995, 0]
    const text = (await upload(service, 'text/plain', 'Hello, world!', { encoding: 'gpt2' })).json()
    const lines = [
      await upload(service, 'application/x-ndjson', '{"text":"Hello, world!"}\n', { encoding: 'gpt2' }),
      await upload(service, 'application/x-ndjson', '{"t":"Hello, world!"}', {
        encoding: 'gpt2',
        text_field: 't',
      }),
      await upload(service, 'application/x-ndjson', JSON.stringify({ input_ids: ids }), { encoding: 'gpt2' }),
    ]
    for (const dtype of ['uint16', 'uint32', 'int32']) {
      const array = dtype === 'uint16' ? Uint16Array.from(ids) : Uint32Array.from(ids)
      const body = Buffer.from(array.buffer)
      lines.push(await upload(service, 'application/octet-stream', body, { dtype, encoding: 'gpt2' }))
    }
    lines.push(
      await upload(
        service,
        'text/plain',
        gzipSync('Hello, world!'),
        { encoding: 'gpt2' },
        { 'content-encoding': 'gzip' },
      ),
      await upload(service, 'text/plain', 'Hello, world!', { model: 'default' }),
    )
    for (const each of lines) expect([each.statusCode, each.json().id], each.body).toEqual([200, text.id])
    const none = await upload(service, 'application/x-ndjson', JSON.stringify({ input_ids: ids }))
    expect(none.json()).toMatchObject({ encoding: null, num_characters: null, allowed_special: null })
    expect(none.json().id).not.toBe(text.id)
    const separated = Buffer.from(Uint16Array.from([1, 2, 0, 3, 0]).buffer)
    const query = { dtype: 'uint16', separator_id: 0 }
    expect((await upload(service, 'application/octet-stream', separated, query)).json()).toMatchObject({
      num_documents: 2,
      max_token_id: 3,
    })
  })

  test('is listed newest first, page by page, and deleted', async () => {
    const all = (await service.app.inject('/v1/datasets')).json()
    expect(all.object).toBe('list')
    expect(all.has_more).toBe(false)
    const ids = all.data.map(({ id }: { id: string }) => id)
    const times = all.data.map(({ created }: { created: number }) => created)
    expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
    const paged: string[] = []
    for (let query = '?limit=1', more = true; more; ) {
      const { data, has_more } = (await service.app.inject(`/v1/datasets${query}`)).json()
      expect(data).toHaveLength(1)
      paged.push(data[0].id)
      more = has_more
      query = `?limit=1&after=${data[0].id}`
    }
    expect(paged).toEqual(ids)
    const path = `/v1/datasets/${ids[0]}`
    const gone = await service.app.inject({ method: 'DELETE', url: path })
    expect([gone.statusCode, gone.body]).toEqual([204, ''])
    for (const url of [
      path,
      `${path}/tokens`,
      `${path}/batches/0?context_length=2&batch_size=1`,
      `/v1/datasets?after=${ids[0]}`,
    ]) {
      const answer = await service.app.inject(url)
      expect([answer.statusCode, answer.json().error.code], url).toEqual([404, 'dataset_not_found'])
      expect(answer.json().error.param, url).toBe(url.includes('after') ? 'after' : 'dataset')
    }
    expect((await service.app.inject({ method: 'DELETE', url: path })).statusCode).toBe(404)
  })

  test.each<[string, string, string, Record<string, string>, number, string, string | null]>([
    ['text of no encoding', 'text/plain', 'a', {}, 400, 'invalid_request', 'encoding'],
    [
      'two tokenizers',
      'text/plain',
      'a',
      { encoding: 'gpt2', model: 'default' },
      400,
      'invalid_request',
      'encoding',
    ],
    [
      'an encoding that is not there',
      'text/plain',
      'a',
      { encoding: 'gpt9' },
      404,
      'model_not_found',
      'encoding',
    ],
    [
      'a field of another type',
      'text/plain',
      'a',
      { encoding: 'gpt2', dtype: 'uint16' },
      400,
      'invalid_request',
      'dtype',
    ],
    ['ids without their type', 'application/octet-stream', 'ab', {}, 400, 'invalid_request', 'dtype'],
    ['half an id', 'application/octet-stream', 'abc', { dtype: 'uint16' }, 400, 'invalid_request', null],
    ['no JSON', 'application/x-ndjson', '{"input_ids":', {}, 400, 'invalid_json', null],
    [
      'an id beyond the encoding',
      'application/x-ndjson',
      '{"input_ids":[50257]}',
      { encoding: 'gpt2' },
      422,
      'token_out_of_range',
      null,
    ],
    ['another media type', 'application/xml', '<a/>', {}, 415, 'unsupported_media_type', null],
  ])('refuses %s', async (_, type, body, query, status, code, param) => {
    const before = service.folder && place === 'disk' ? readdirSync(join(service.folder, 'datasets')) : []
    const answer = await upload(service, type, body, query)
    const { error } = answer.json()
    expect([answer.statusCode, error.code], answer.body).toEqual([status, code])
    if (param !== null) expect(error.param).toBe(param)
    if (place === 'disk') expect(readdirSync(join(service.folder, 'datasets'))).toEqual(before)
  })
})

test('only its owner and the admin can delete a dataset', async () => {
  const service = await datasetService('memory', {
    API_KEYS: 'ann:first-key,ben:second-key',
    ADMIN_KEY: 'admin-key',
  })
  const by = (key: string) => ({ authorization: `Bearer ${key}` })
  const url = '/v1/datasets'
  for (const key of ['first-key', 'admin-key']) {
    const body = 'Hello, world!'
    expect((await upload(service, 'text/plain', body, { encoding: 'gpt2' })).statusCode).toBe(401)
    const { id } = (await upload(service, 'text/plain', body, { encoding: 'gpt2' }, by('first-key'))).json()
    const other = await service.app.inject({
      method: 'DELETE',
      url: `${url}/${id}`,
      headers: by('second-key'),
    })
    expect([other.statusCode, other.json().error.code]).toEqual([403, 'forbidden'])
    expect((await service.app.inject({ url: `${url}/${id}`, headers: by('second-key') })).statusCode).toBe(
      200,
    )
    expect(
      (await service.app.inject({ method: 'DELETE', url: `${url}/${id}`, headers: by(key) })).statusCode,
    ).toBe(204)
  }
  await service.close()
})

test('a dataset that two callers have uploaded stays until both have deleted it', async () => {
  const service = await datasetService('disk', { API_KEYS: 'ann:first-key,ben:second-key' })
  const by = (key: string) => ({ authorization: `Bearer ${key}` })
  const send = (key: string) => upload(service, 'text/plain', 'Hello', { encoding: 'gpt2' }, by(key))
  const { id } = (await send('first-key')).json()
  expect((await send('second-key')).json().id).toBe(id)
  const url = `/v1/datasets/${id}`
  const remove = async (key: string) =>
    (await service.app.inject({ method: 'DELETE', url, headers: by(key) })).statusCode
  expect([await remove('first-key'), await remove('first-key')]).toEqual([204, 403])
  const there = await service.app.inject({ url, headers: by('second-key') })
  expect(there.json()).toMatchObject({ id, num_tokens: 1 })
  expect(there.json()).not.toHaveProperty('owners')
  expect([await remove('second-key'), await remove('second-key')]).toEqual([204, 404])
  await service.close()
})

test('without datasets there are no routes', async () => {
  const service = await testService()
  for (const url of ['/v1/datasets', '/v1/datasets/ds_a', '/v1/datasets/ds_a/batches/0']) {
    expect((await service.app.inject(url)).json().error.code).toBe('not_found')
  }
  await service.close()
})

describe('an upload beyond what may be held', () => {
  const TEXT = 'Hello, world! '.repeat(20_000)

  test('on the disk is 507 with the numbers, and nothing stays', async () => {
    const service = await datasetService('disk', { DATA_QUOTA_BYTES: '100000' })
    const answer = await upload(service, 'text/plain', TEXT, { encoding: 'gpt2' })
    expect([answer.statusCode, answer.json().error.code]).toEqual([507, 'insufficient_storage'])
    expect(answer.json().error.message).toMatch(
      /^DATA_QUOTA_BYTES .*\d+ bytes of 100000 are used, and \d+ are needed\.$/,
    )
    expect(readdirSync(join(service.folder, 'datasets'))).toEqual([])
    expect((await upload(service, 'text/plain', 'Hello', { encoding: 'gpt2' })).statusCode).toBe(201)
    await service.close()
  })

  test('in a temporary folder too, and what a deleted one had is free again', async () => {
    const service = await datasetService('memory', { MAX_DATASET_MEMORY_BYTES: String(2 ** 18 + 2 ** 15) })
    for (let i = 0; i < 3; i++) {
      const answer = await upload(service, 'text/plain', TEXT.repeat(10), { encoding: 'gpt2' })
      expect([answer.statusCode, answer.json().error.code]).toEqual([507, 'insufficient_storage'])
      expect(answer.json().error.message).toMatch(
        /^MAX_DATASET_MEMORY_BYTES must hold .*\d+ bytes of 294912 are used/,
      )
    }
    const { id } = (await upload(service, 'text/plain', TEXT, { encoding: 'gpt2' })).json()
    expect((await upload(service, 'text/plain', `${TEXT}!`, { encoding: 'gpt2' })).statusCode).toBe(507)
    await service.app.inject({ method: 'DELETE', url: `/v1/datasets/${id}` })
    expect((await upload(service, 'text/plain', `${TEXT}!`, { encoding: 'gpt2' })).statusCode).toBe(201)
    await service.close()
  })

  test('MAX_DATASET_BYTES bounds one upload: 413', async () => {
    const service = await datasetService('memory', { MAX_DATASET_BYTES: '100' })
    const answer = await upload(service, 'text/plain', TEXT, { encoding: 'gpt2' })
    expect([answer.statusCode, answer.json().error.code]).toEqual([413, 'body_too_large'])
    await service.close()
  })
})

test('two uploads of the same content at once are one dataset', async () => {
  for (const place of PLACES) {
    const service = await datasetService(place)
    const both = await Promise.all(
      [1, 2].map(() => upload(service, 'text/plain', LINES, { encoding: 'gpt2' })),
    )
    expect(both.map(({ statusCode }) => statusCode).sort()).toEqual([200, 201])
    expect(both[0]!.json()).toEqual(both[1]!.json())
    expect((await service.app.inject('/v1/datasets')).json().data).toHaveLength(1)
    await service.close()
  }
})
