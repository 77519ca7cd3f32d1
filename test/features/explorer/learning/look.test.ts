import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Inlet } from '../../../../clients/typescript/src/index.js'
import { history, look, movesOf, remember } from '../../../../src/features/explorer/page/learning.js'
import { loadAnswer } from '../../../../src/features/explorer/page/load.js'
import type { Recipe } from '../../../../src/features/explorer/page/recipe.js'
import { answer, model } from '../../../../src/features/explorer/page/store.js'
import { onesFor, Trainer } from '../../../features/learning/http/trainer.js'
import type { TestService } from '../../../helper.js'
import { type ManagedService, managedService } from '../../../managed.js'
import { injectedClient } from '../injected.js'

const RECIPE: Recipe = { text: '2 3 5 1', documents: 'ids', model: 'book', batch_size: 1, batch_index: 0 }

let service: ManagedService
let trainer: Trainer
const asked: string[] = []
let client: Inlet
const never = new AbortController().signal
const versions = () => history.value.snapshots.map(({ version }) => version)

beforeAll(async () => {
  service = await managedService()
  client = injectedClient(service as unknown as TestService, asked)
  trainer = new Trainer(service.app, 'book')
  expect((await trainer.begin({ type: 'sgd', lr: 1 })).status).toBe(201)
  answer.value = await loadAnswer(client, RECIPE)
  remember(answer.value)
  asked.length = 0
})
afterAll(() => service.close())

it('asks for no row while the version stands still, and tells what waits', async () => {
  const before = answer.value
  await look(client, 'book', never)
  expect((await trainer.gradients(onesFor([2, 3], 3))).status).toBe(200)
  await look(client, 'book', never)
  expect(asked).toEqual(['/v1/models/book', '/v1/models/book'])
  expect(answer.value!.rows).toBe(before!.rows)
  expect(model.value?.learning).toMatchObject({ step: 0, pending: 1 })
})

it('has after a step all rows of one version, and those that moved', async () => {
  const before = answer.value!
  expect((await trainer.step()).body).toMatchObject({ rows_updated: { 'wte.weight': 2, 'wpe.weight': 2 } })
  await look(client, 'book', never)
  remember(answer.value!)
  expect(model.value?.learning).toMatchObject({ step: 1, pending: 0 })
  expect(answer.value!.rows.version).toBe(model.value!.model_version)
  expect(versions()).toEqual([Number(before.rows.version), Number(answer.value!.rows.version)])
  const [one, two] = history.value.snapshots
  const { compared, moves } = movesOf(one!, two!)
  expect(compared).toBe(4)
  // A kept row holds only itself.
  for (const row of two!.rows.values()) expect(row.buffer.byteLength).toBe(row.byteLength)
  expect(moves.map(({ id }) => id).toSorted()).toEqual([2, 3])
  for (const { norm } of moves) expect(norm).toBeCloseTo(Math.sqrt(3), 5)
  const { rows, positions } = answer.value!
  const moved = Array.from(rows.sum, (value, index) => before.rows.sum[index]! - value)
  expect(moved.map((each) => Math.round(each))).toEqual([2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0])
  expect(positions!.tensors.position_embeddings!.data).toEqual(rows.position)
})

it('shows the last version of a model that no longer learns', async () => {
  await trainer.gradients(onesFor([5], 3))
  await trainer.step()
  expect((await trainer.send('DELETE', 'optimizer')).status).toBe(204)
  await look(client, 'book', never)
  expect(model.value?.learning).toBeNull()
  expect(answer.value!.rows.version).toBe(model.value!.model_version)
})

it('leaves everything as it is where it is given up', async () => {
  const before = answer.value
  await expect(look(client, 'book', AbortSignal.abort())).rejects.toThrow()
  expect(answer.value).toBe(before)
})
