import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Inlet } from '../../clients/typescript/src/client.js'
import type { Tensors } from '../../clients/typescript/src/tensors.js'
import type { DatasetBatchFields } from '../../clients/typescript/src/types.js'
import { listen, type TestService, testService } from '../helper.js'

const LINES = 'Hello, world!\nThis is the first layer.\n'.repeat(20)
const TEXT = { type: 'text/plain', encoding: 'gpt2', documents: 'lines' } as const
const RECIPE = { context_length: 4, batch_size: 6, packing: 'concat', shuffle: 'index', seed: 7 } as const

describe('datasets of the TypeScript client', () => {
  let service: TestService
  let inlet: Inlet
  let id: string
  beforeAll(async () => {
    service = await testService({}, { hasDatasets: true })
    inlet = new Inlet(`http://127.0.0.1:${await listen(service)}`)
    id = (await inlet.uploadDataset(LINES, { ...TEXT, name: 'greetings' })).id
  })
  afterAll(() => service.close())

  const all = async (batches: AsyncIterable<Tensors>) => {
    const given: Tensors[] = []
    for await (const batch of batches) given.push(batch)
    return given
  }
  const idsOf = (batches: readonly Tensors[]) => batches.map((batch) => [...batch.get('input_ids')!.data])

  it('uploads bytes, blobs and streams as the same dataset', async () => {
    const bytes = new TextEncoder().encode(LINES)
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'))
    expect((await inlet.uploadDataset(bytes, TEXT)).id).toBe(id)
    expect((await inlet.uploadDataset(new Blob([bytes]), TEXT)).id).toBe(id)
    expect((await inlet.uploadDataset(new Blob([bytes]).stream(), TEXT)).id).toBe(id)
    expect((await inlet.uploadDataset(packed, { ...TEXT, coding: 'gzip' })).id).toBe(id)
    expect(await inlet.dataset(id)).toMatchObject({ id, name: 'greetings', num_documents: 40 })
  })

  it('uploads chats from a file, and their batches tell the targets of all ranks, one an answer', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => ({ prompt: `${n} + ${n} =`, completion: ` ${2 * n}` }))
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    const file = new Blob([body]) // as openAsBlob of node:fs gives one
    const fields = {
      type: 'application/x-ndjson',
      encoding: 'gpt2',
      mask: 'sampled',
      trailing: 'mask',
    } as const
    const chats = await inlet.uploadDataset(file, { ...fields, turns: 'auto', refused: 'error' })
    expect(chats).toMatchObject({ mask: 'sampled', chats: { num_chats: 30 } })
    const recipe: DatasetBatchFields = {
      ...{ context_length: 8, batch_size: 4, packing: 'best_fit', pad_token_id: 0, num_batches: 5 },
      ...{ outputs: ['target_ids', 'labels'], world_size: 2 },
    }
    const ranks = await Promise.all(
      [0, 1].map((rank) => all(inlet.datasetBatches(chats.id, { ...recipe, rank }))),
    )
    expect(ranks[0]!.length).toBeGreaterThan(3)
    for (const [i, batch] of ranks[0]!.entries()) {
      const targets = ranks.flatMap((batches) => [...batches[i]!.get('target_ids')!.data])
      const trained = targets.filter((id) => id !== -100).length
      expect([batch.counts.num_target_tokens, ranks[1]![i]!.counts.num_target_tokens]).toEqual([
        trained,
        trained,
      ])
    }
  })

  it('gives the tokens back, from which the same ids are made', async () => {
    const tokens = await inlet.datasetTokens(id)
    expect(tokens).toBeInstanceOf(Uint16Array)
    expect(tokens.length).toBe((await inlet.dataset(id)).num_tokens)
    const first = await inlet.datasetDocument(id, '0')
    expect([...tokens.subarray(0, first.num_tokens)]).toEqual(first.input_ids)
  })

  it.each([0, 2])('iterates an epoch in order, %i batches ahead', async (prefetch) => {
    const { num_batches: count = 0 } = await inlet.datasetPlan(id, RECIPE)
    const direct: Tensors[] = []
    for (let i = 0; i < count; i++) direct.push(await inlet.datasetBatch(id, String(i), RECIPE))
    expect(count).toBeGreaterThan(4)
    expect(idsOf(await all(inlet.datasetBatches(id, RECIPE, { prefetch })))).toEqual(idsOf(direct))
    expect(idsOf(await all(inlet.datasetBatches(id, RECIPE, { prefetch, from: 3 })))).toEqual(
      idsOf(direct.slice(3)),
    )
  })

  it.each(['none', 'concat', 'best_fit'] as const)(
    'gives single batches of answers that hold several (%s)',
    async (packing) => {
      const outputs: DatasetBatchFields['outputs'] = [
        'input_ids',
        'target_ids',
        'segment_ids',
        'loss_mask',
        'labels',
        'cu_seq_lens',
        'position_ids',
        'input_embeddings',
      ]
      for (const rank of [{}, { rank: 1, world_size: 2 }]) {
        const recipe: DatasetBatchFields = { ...RECIPE, ...rank, packing, tail: 'pad', outputs }
        const single = await all(inlet.datasetBatches(id, recipe))
        const several = await all(inlet.datasetBatches(id, { ...recipe, num_batches: 4 }, { prefetch: 1 }))
        const tensorsOf = (batches: Tensors[]) =>
          batches.map((batch) => [...batch].map(([name, { shape, data }]) => [name, shape, [...data]]))
        expect(single.length % 4).not.toBe(0)
        expect(tensorsOf(several)).toEqual(tensorsOf(single))
      }
    },
  )

  it('iterates a mixture until the caller has enough', async () => {
    const { id: mixed } = await inlet.mixDatasets([{ dataset: id, weight: 1 }], { name: 'mixed' })
    let count = 0
    for await (const _ of inlet.datasetBatches(mixed, RECIPE)) if (++count === 30) break
    expect(count).toBe(30)
    expect((await inlet.mixDatasets({ [id]: 1 })).id).toBe(mixed)
    await inlet.deleteDataset(mixed)
    await expect(inlet.dataset(mixed)).rejects.toMatchObject({ status: 404, code: 'dataset_not_found' })
  })

  it('says in one line that a recipe leaves out many tokens', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
    await all(inlet.datasetBatches(id, { context_length: 3, batch_size: 6 }))
    expect(warned.mock.calls).toEqual([[expect.stringMatching(/^20\.0 % of the tokens, .* in no window/)]])
    warned.mockClear()
    await all(inlet.datasetBatches(id, { context_length: 3, batch_size: 6, tail: 'pad' }))
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('throws the service’s own errors, and the reason of an abort', async () => {
    await expect(inlet.uploadDataset('a', { type: 'text/plain' })).rejects.toMatchObject({
      ...{ status: 400, code: 'invalid_request', param: 'encoding' },
    })
    const { seed: _, ...unseeded } = RECIPE
    const empty = { context_length: 4000, batch_size: 6 } as const
    await expect(all(inlet.datasetBatches(id, empty))).rejects.toMatchObject({
      status: 422,
      code: 'no_windows',
    })
    await expect(all(inlet.datasetBatches(id, unseeded))).rejects.toMatchObject({ param: 'seed' })
    const end = new AbortController()
    const reading = inlet.datasetBatches(id, RECIPE, { signal: end.signal })
    await reading.next()
    end.abort(new Error('enough'))
    await expect(all(reading)).rejects.toThrow('enough')
  })

  it('waits for a recipe whose windows are being computed', async () => {
    let refusals = 2
    const busy: typeof fetch = (...call) => {
      if (refusals-- <= 0) return fetch(...call)
      const error = { code: 'dataset_indexing', message: 'Try again', param: null }
      return Promise.resolve(Response.json({ error }, { status: 503, headers: { 'retry-after': '0' } }))
    }
    const url = `http://127.0.0.1:${(service.app.server.address() as { port: number }).port}`
    const patient = new Inlet(url, { fetch: busy, retries: 0 })
    expect((await all(patient.datasetBatches(id, RECIPE))).length).toBeGreaterThan(4)
    expect(refusals).toBeLessThan(0)
  })
})
