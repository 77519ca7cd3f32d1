import { expect, test } from 'vitest'
import { parametersOf } from '../../../../src/first-layer/cards/seed-card.js'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import { loaded, type ModelEntry, unloaded } from '../../../../src/models/entry.js'
import { bindLoaded, takeFirstModels } from '../../../../src/service/models/library/bind.js'
import { Library } from '../../../../src/service/models/library/library.js'
import { cardOf } from '../cards.js'

test('bindLoaded binds each loaded model, and logs one that cannot be bound', async () => {
  const bound: string[] = []
  const library = new Library(async ({ card }) => {
    if (card.id === 'broken') throw new Error('its tokenizer is gone')
    bound.push(card.id)
    return { dispose() {} }
  })
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  for (const id of ['a', 'broken', 'c']) {
    await library.put(loaded({ card: cardOf(id), origin: 'folder', lastVersion: 0 }, tables))
  }
  await library.put(unloaded(cardOf('d'), 'folder'))
  const logged: unknown[] = []
  await bindLoaded(library, { error: (facts, message) => logged.push([facts, message]) })
  expect(bound).toEqual(['a', 'c'])
  expect(library.present('a')).not.toBeInstanceOf(Promise)
  expect(logged).toEqual([[{ model: 'broken', reason: 'its tokenizer is gone' }, 'a model cannot be bound']])
})

function ready(id: string, number: number): ModelEntry {
  const card = cardOf(id)
  const tables = allocateTables(parametersOf(card), card.embeddingDim, 1)
  const version = { number, tables, created: 1 }
  return { card, origin: 'request', state: 'ready', lastVersion: number, version }
}

test('changes that arrive before the backend is ready replace a new thread’s first models', async () => {
  const bound: string[] = []
  const library = new Library(async ({ card }, { number }) => {
    bound.push(`${card.id} ${number}`)
    return { dispose() {} }
  })
  const log = { error: () => expect.unreachable() }
  let backend = () => {}
  const selected = new Promise<void>((resolve) => {
    backend = resolve
  })
  const models = [ready('a', 1), ready('b', 1), ready('c', 1)]
  const taking = takeFirstModels(library, models, selected, log)
  void library.put(ready('a', 2))
  void library.drop('b')
  backend()
  await taking
  expect(library.entries().map(({ card, lastVersion }) => [card.id, lastVersion])).toEqual([
    ['a', 2],
    ['c', 1],
  ])
  expect(bound).toEqual(['a 2', 'c 1'])
})
