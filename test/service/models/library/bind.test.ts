import { expect, test } from 'vitest'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import { loaded, unloaded } from '../../../../src/models/entry.js'
import { cardOf } from '../cards.js'
import { modelsOf } from './models-of.js'

test('bindLoaded binds each loaded model, and logs one that cannot be bound', async () => {
  const bound: string[] = []
  const models = modelsOf(async ({ card }) => {
    if (card.id === 'broken') throw new Error('its tokenizer is gone')
    bound.push(card.id)
    return { name: card.id, dispose() {} }
  })
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  for (const id of ['a', 'broken', 'c']) {
    await models.put(loaded({ card: cardOf(id), origin: 'folder', lastVersion: 0 }, tables))
  }
  await models.put(unloaded(cardOf('d'), 'folder'))
  const logged: unknown[] = []
  await models.bindLoaded({ error: (facts, message) => logged.push([facts, message]) })
  expect(bound).toEqual(['a', 'c'])
  expect(models.present('a')).not.toBeInstanceOf(Promise)
  expect(logged).toEqual([[{ model: 'broken', reason: 'its tokenizer is gone' }, 'a model cannot be bound']])
})
