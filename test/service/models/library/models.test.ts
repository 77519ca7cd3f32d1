import { expect, test } from 'vitest'
import { parametersOf } from '../../../../src/first-layer/cards/seed-card.js'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../../../src/models/entry.js'
import { UNBOUNDED } from '../../../counting-claim.js'
import { cardOf } from '../cards.js'
import { modelsOf, type Named } from './models-of.js'

const nobodyBinds = () => Promise.reject(new Error('nobody binds'))

test('an aborted request stops waiting for tables, and the model is loaded all the same', async () => {
  const asked: string[] = []
  const admin = {
    load(id: string) {
      asked.push(id)
      return new Promise<ModelEntry>(() => {})
    },
  }
  const models = modelsOf(nobodyBinds, { admin })
  await models.put({ card: cardOf('a'), origin: 'folder', state: 'unloaded', lastVersion: 0 })
  let abort = (_: Error) => {}
  const onAbort = (act: (error: Error) => void) => {
    abort = act
    return () => {}
  }
  const holding = models.lease('a', { ...UNBOUNDED, onAbort })
  abort(new Error('gone'))
  await expect(holding).rejects.toThrow('gone')
  expect(asked).toEqual(['a'])
})

test('card() of an unreadable folder throws its reason', async () => {
  const models = modelsOf(nobodyBinds)
  const error = { code: 'model_failed', message: 'a/tokenizer.json must be JSON' } as const
  const failed = { card: cardOf('a'), origin: 'folder', state: 'failed', lastVersion: 0, error } as const
  await models.put({ ...failed, hasNoCard: true })
  expect(() => models.card()).toThrow(/`model` a cannot be loaded: a\/tokenizer\.json must be JSON/)
  await models.put(failed) // its card could be read, its tables could not be made
  expect(models.card('a')).toEqual(cardOf('a'))
})

test('a lease keeps the tables of a model deleted while they are bound', async () => {
  let bind = (_: Named) => {}
  const bound = new Promise<Named>((resolve) => {
    bind = resolve
  })
  const models = modelsOf(() => bound)
  const card = cardOf('a')
  const version = { number: 1, tables: allocateTables(parametersOf(card), 4, 1), created: 1 }
  const entry: ModelEntry = { card, origin: 'request', state: 'ready', lastVersion: 1, version }
  await models.put(entry)
  const holding = models.lease('a', UNBOUNDED)
  let isDrained = false
  const drained = models.drop('a').then(() => {
    isDrained = true
  })
  bind({ name: 'a', dispose() {} })
  const held = await holding
  expect(held).toMatchObject({ entry, version })
  expect(isDrained).toBe(false)
  held.release()
  await drained
})
