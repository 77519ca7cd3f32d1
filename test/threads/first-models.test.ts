import { expect, test } from 'vitest'
import { parametersOf } from '../../src/first-layer/cards/parameters.js'
import { allocateTables } from '../../src/first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../src/models/entry.js'
import { takeFirstModels } from '../../src/models/library/bind.js'
import { Library } from '../../src/models/library/library.js'
import { cardOf } from '../models/cards.js'

function ready(id: string, number: number): ModelEntry {
  const card = cardOf(id)
  const tables = allocateTables(parametersOf(card), card.embeddingDim, 1)
  const version = { number, tables, created: 1 }
  return { card, origin: 'request', state: 'ready', lastVersion: number, version }
}

test('what a thread is told while it gets ready is newer than what it began with', async () => {
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
  const taking = takeFirstModels(library, [ready('a', 1), ready('b', 1), ready('c', 1)], selected, log)
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
