import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { folderEntries } from '../../../../src/models/folders.js'
import { chats, folderOf } from '../../../first-layer/datasets/chats/golden-chats.js'
import { type TestService, testService } from '../../../helper.js'
import { datasetService, get, numbersOf, type Query, upload } from './dataset-service.js'

interface Seen {
  readonly row: number
  readonly dataset?: string
  readonly document: number
  readonly line?: number
  readonly start: number
  readonly end: number
  readonly first_token: number
  readonly num_tokens: number
  readonly num_target_tokens: number
  readonly texts?: readonly { readonly text: string; readonly trained: boolean }[]
}

const MODEL = 'headers'
const NDJSON = 'application/x-ndjson'
const { files, uploads } = chats.folders[MODEL]

let service: TestService
/** A dataset of chats with documents by turn, one of texts with blank lines between them, and a mixture of both. */
let ids: Record<'chats' | 'texts' | 'mixture', string>
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: folderOf(''), MODELS: undefined }, () => {})
  service = await testService({}, { folders, hasDatasets: true })
  const made = async (body: string | object, query: Query, type = NDJSON) =>
    (await upload(service, type, body, query)).json().id as string
  const lines = files.chats.map((line) => `${JSON.stringify(line)}\n`).join('')
  const texts = [1, 30, 4, 9, 2].map(
    (n) => `${JSON.stringify({ text: 'The tide is in. 🐈 '.repeat(n) })}\n\n`,
  )
  const members = [
    await made(lines, { model: MODEL, turns: 'each', refused: 'skip' }),
    await made(texts.join(''), { model: MODEL }),
  ] as const
  const mixture = { mixture: members.map((dataset) => ({ dataset, weight: 1 })) }
  ids = { chats: members[0], texts: members[1], mixture: await made(mixture, {}, 'application/json') }
})
afterAll(() => service.close())

async function answer(path: string, query: Query) {
  const given = await get(service, path, query)
  expect(given.statusCode, given.body).toBe(200)
  return given
}

/** A document's ids and mask, by the route of documents. */
async function documentOf(dataset: string, d: number) {
  const { input_ids, loss_mask } = (await answer(`${dataset}/documents/${d}`, {})).json()
  return { ids: input_ids as number[], mask: (loss_mask ?? input_ids.map(() => 1)) as number[] }
}

async function textOf(input_ids: readonly number[]): Promise<string> {
  const payload = { model: MODEL, input_ids }
  return (await service.app.inject({ method: 'POST', url: '/v1/detokenize', payload })).json().text
}

const OUTPUTS = 'input_ids,target_ids,segment_ids,loss_mask,document_ids,window_starts'
const SHUFFLED = { shuffle: 'true', seed: 7, epoch: 1 }

describe.each([
  ['chats', { packing: 'best_fit', context_length: 96, batch_size: 3 }],
  ['chats', { packing: 'best_fit', context_length: 96, batch_size: 4, rank: 1, world_size: 2, ...SHUFFLED }],
  ['chats', { packing: 'concat', context_length: 50, stride: 20, batch_size: 4, tail: 'pad' }],
  ['chats', { context_length: 32, tail: 'pad', batch_size: 8, num_batches: 2, ...SHUFFLED }],
  [
    'texts',
    { context_length: 32, tail: 'pad', batch_size: 2, sharding: 'distributed_sampler', world_size: 2 },
  ],
  ['texts', { packing: 'concat', context_length: 64, batch_size: 2, shuffle: 'index', seed: 3 }],
  ['mixture', { packing: 'best_fit', context_length: 64, batch_size: 8, shuffle: 'index', seed: 5 }],
] as const)('a batch of %s, %j', (name, recipe) => {
  it('holds the tokens, targets and texts that its documents say', async () => {
    const query = { pad_token_id: 0, ...recipe }
    const outputs = name === 'mixture' ? `${OUTPUTS},dataset_index` : OUTPUTS
    const batch = await answer(`${ids[name]}/batches/1`, { ...query, outputs })
    const seen = (await answer(`${ids[name]}/batches/1/documents`, { ...query, text: true })).json()
    const { dataset, recipe_id, epoch, batch_index, num_batches } = batch.json()
    expect(seen).toMatchObject({
      dataset,
      recipe_id,
      epoch,
      batch_index,
      ...(num_batches && { num_batches }),
    })

    const T = recipe.context_length
    const tensor = Object.fromEntries(outputs.split(',').map((each) => [each, numbersOf(batch, each)]))
    const all: readonly Seen[] = seen.documents
    expect(all.at(-1)!.row).toBe(tensor.document_ids!.length - 1)
    const segments = Array<number>(tensor.input_ids!.length).fill(-1)
    for (const [row, document] of tensor.document_ids!.entries()) {
      const documents = all.filter((each) => each.row === row)
      const member = documents[0]!.dataset
      const places = (each: string, { start, end }: Seen) =>
        tensor[each]!.slice(row * T + start, row * T + end)
      expect(member).toBe(
        name === 'mixture' ? [ids.chats, ids.texts][tensor.dataset_index![row]!] : undefined,
      )
      expect(documents[0]).toMatchObject({
        ...{ start: 0, document, first_token: tensor.window_starts![row] },
      })
      for (const [s, each] of documents.entries()) {
        segments.fill(s, row * T + each.start, row * T + each.end)
        const whole = await documentOf(member ?? ids[name], each.document)
        const [from, to] = [each.first_token, each.first_token + each.num_tokens]
        expect(places('input_ids', each)).toEqual(whole.ids.slice(from, to))
        expect(each.num_target_tokens).toBe(places('target_ids', each).filter((id) => id !== -100).length)
        expect(each.texts!.map(({ text }) => text).join('')).toBe(await textOf(whole.ids.slice(from, to)))
        const runs = whole.mask.slice(from, to).filter((bit, i, all) => bit !== all[i - 1])
        expect(each.texts!.map(({ trained }) => (trained ? 1 : 0))).toEqual(runs)
      }
    }
    const isPacked = 'packing' in recipe
    if (isPacked) expect(tensor.segment_ids).toEqual(segments)
    else expect(tensor.segment_ids!.map((id) => Math.min(id, 0))).toEqual(segments)
  })
})

test('a document has the line that the upload had it on, where chats make several or none, or lines are blank', async () => {
  const query = { context_length: 64, tail: 'pad', pad_token_id: 0, batch_size: 1000 }
  const golden = uploads.find(({ file, query: { turns } }) => file === 'chats' && turns === 'each')!
  const lines = [...golden.documents.map(([line]) => line)]
  expect(lines).not.toEqual(lines.map((_, d) => d + 1))
  for (const [dataset, expected] of [
    [ids.chats, lines],
    [ids.texts, [1, 3, 5, 7, 9]],
  ] as const) {
    const seen: Seen[] = (await answer(`${dataset}/batches/0/documents`, query)).json().documents
    for (const { document, line } of seen) expect(line).toBe(expected[document])
    expect(new Set(seen.map(({ document }) => document)).size).toBe(expected.length)
  }
})

const SMALL = { context_length: 1, batch_size: 100_000, tail: 'pad', pad_token_id: 0 }

async function linesOf(own: Pick<TestService, 'app'>, type: string, body: string | Buffer, query: Query) {
  const { id, size_bytes, num_documents } = (await upload(own, type, body, query)).json()
  const { documents } = (await get(own, `${id}/batches/0/documents`, { ...SMALL, text: true })).json()
  return { documents: documents as Seen[], beside: size_bytes - 8 * (num_documents + 1) }
}

test.each(['memory', 'disk'] as const)(
  'in %s lines take room only from the first one on that is not its document’s own number',
  async (place) => {
    const own = await datasetService(place)
    const lines = (body: string) => linesOf(own, 'text/plain', body, { encoding: 'gpt2', documents: 'lines' })
    const plain = await lines('a\nb\nc\n')
    expect(plain.documents.map(({ line }) => line)).toEqual([1, 2, 3])
    const gapped = await lines('a\r\nb\r\n\r\nc\nd')
    expect(gapped.documents.map(({ line }) => line)).toEqual([1, 2, 4, 5])
    expect([plain.beside, gapped.beside]).toEqual([3 * 2, 4 * 2 + 2 * 4])
    const long = await lines(`${'a\n'.repeat(8500)}\n${'b\n'.repeat(8500)}`) // several pieces
    const places = Array.from({ length: 17_000 }, (_, d) => (d < 8500 ? d + 1 : d + 2))
    expect(long.documents.map(({ line }) => line)).toEqual(places)
    expect(long.beside).toBe(17_000 * 2 + 8500 * 4)
    await own.close()
  },
)

test('ids have no line, and of no encoding no text', async () => {
  const raw = Buffer.from(Uint16Array.of(7, 8, 0, 9, 0).buffer)
  const { documents } = await linesOf(service, 'application/octet-stream', raw, {
    dtype: 'uint16',
    separator_id: 0,
  })
  expect(documents.map(({ document, line, texts }) => [document, line, texts])).toEqual([
    ...[0, 0, 0].map((d) => [d, undefined, undefined]),
    ...[1, 1].map((d) => [d, undefined, undefined]),
  ])
})

test.each([
  [`ds_${'a'.repeat(26)}/batches/0/documents`, {}, 404, 'dataset_not_found'],
  ['texts/batches/99/documents', {}, 422, 'batch_out_of_range'],
  ['texts/batches/x/documents', {}, 400, 'invalid_request'],
  ['texts/batches/0/documents', { text: 'yes' }, 400, 'invalid_request'],
  ['texts/batches/0/documents', { recipe_id: 'other' }, 409, 'recipe_mismatch'],
] as const)('%s %j: %s %s', async (path, query, status, code) => {
  const given = await get(service, path.replace('texts', ids.texts), { ...SMALL, batch_size: 10, ...query })
  expect([given.statusCode, given.json().error.code]).toEqual([status, code])
})

test('texts beyond MAX_JSON_RESPONSE_BYTES are refused', async () => {
  const own = await testService({ MAX_JSON_RESPONSE_BYTES: '2000' }, { hasDatasets: true })
  const { id } = (await upload(own, 'text/plain', 'tide '.repeat(600), { encoding: 'gpt2' })).json()
  const path = `${id}/batches/0/documents`
  const query = { context_length: 500, batch_size: 1 }
  expect((await get(own, path, query)).statusCode).toBe(200)
  expect((await get(own, path, { ...query, text: true })).json().error.code).toBe('response_too_large')
  await own.close()
})
