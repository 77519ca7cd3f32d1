import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardSchema } from '../../../src/first-layer/cards/card-json.js'
import { seedCard } from '../../../src/first-layer/cards/seed-card.js'
import { unloaded } from '../../../src/models/entry.js'
import { MAX_MODELS } from '../../../src/service/models/keeper/registry.js'
import { countTurns } from '../../count-turns.js'
import { AUTHORIZATION, type ManagedService, managedService } from '../../managed.js'

const SIZES = { embedding_dim: 1, vocab_size: 1, max_position_embeddings: 1 }
/** None of them is loaded: what there is of a model without tables is all that a list and a limit look at. */
const folders = Array.from({ length: MAX_MODELS - 2 }, (_, i) =>
  unloaded(seedCard(`m${i}`, cardSchema.parse(SIZES)), 'folder'),
)

let service: ManagedService
beforeAll(async () => {
  service = await managedService({}, folders)
})
afterAll(() => service.close())

function put(name: string) {
  const url = `/v1/models/${name}`
  return service.app.inject({ method: 'PUT', url, headers: AUTHORIZATION, payload: SIZES })
}

test('the list describes each model as its own route does, and works in turns', async () => {
  const [turns, list] = await countTurns(service.app.inject('/v1/models'))
  expect(list.headers['content-type']).toBe('application/json; charset=utf-8')
  const { object, data } = list.json()
  expect([object, data.length]).toEqual(['list', MAX_MODELS])
  expect(turns).toBeGreaterThan(3)
  for (const model of [data[0], data[1], data[500], data.at(-1)]) {
    expect(model).toEqual((await service.app.inject(`/v1/models/${model.id}`)).json())
  }
})

test('one more is refused, by the number that there may be', async () => {
  const answer = await put('more')
  expect([answer.statusCode, answer.json().error.code]).toEqual([507, 'insufficient_memory'])
  expect(answer.json().error.message).toContain('1000')
})

test('a name that is none of them is answered with some of them', async () => {
  const { error } = (await service.app.inject('/v1/models/none')).json()
  expect(error.message).toMatch(/^`model` must be one of "default", ("\w+", ){15}…\. Given: "none"$/)
})

test('the metrics have each model', async () => {
  const { body } = await service.app.inject('/metrics')
  expect(body.match(/^inlet_table_bytes\{model="\w+"\} \d+$/gm)).toHaveLength(MAX_MODELS)
})
