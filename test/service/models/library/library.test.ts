import { describe, expect, test } from 'vitest'
import { allocateTables } from '../../../../src/first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../../../src/models/entry.js'
import type { Lease, Models } from '../../../../src/service/models/library/models.js'
import { cardOf } from '../cards.js'
import { modelsOf, type Named } from './models-of.js'

/** A library whose models are names, and what was disposed of. */
function library() {
  const disposed: string[] = []
  const bound: string[] = []
  const fails = { next: false }
  const own = modelsOf(async ({ card }, { number }) => {
    const name = `${card.id} ${number}`
    if (fails.next) throw new Error(`no ${name}`)
    bound.push(name)
    return { name, dispose: () => void disposed.push(name) }
  })
  return { own, disposed, bound, fails }
}

function ready(number: number, id = 'a'): ModelEntry {
  const card = cardOf(id)
  const tables = allocateTables([{ name: 'wte.weight', shape: [2, 2], dtype: 'float32' }], 2, 1)
  return {
    card,
    origin: 'request',
    state: 'ready',
    lastVersion: number,
    version: { number, tables, created: 1 },
  }
}

const nameIn = (lease: Lease) => (lease.model as unknown as Named).name
const nameOf = async (lease: ReturnType<Models['present']>) => nameIn((await lease)!)

test('reports a replaced card at once if no request reads the model, else with the last reader', async () => {
  let times = 0
  const letCardGo = () => void times++
  const own = modelsOf(async () => ({ name: '', dispose() {} }), { letCardGo })
  await own.put(ready(1))
  expect(times).toBe(0)
  const lease = await own.present('a')
  const drained = own.put(ready(2))
  expect(times).toBe(0)
  lease!.release()
  await drained
  expect(times).toBe(1)
  await own.put({ ...ready(2), error: { code: 'model_failed', message: 'other card' } } as ModelEntry)
  expect(times).toBe(2)
  await own.drop('a')
  expect(times).toBe(3)
})

describe('a thread’s library', () => {
  test('leases the present version, bound once for all callers', async () => {
    const { own, bound } = library()
    await own.put(ready(1))
    expect(await Promise.all([nameOf(own.present('a')), nameOf(own.present('a'))])).toEqual(['a 1', 'a 1'])
    expect(own.present('a')).not.toBeInstanceOf(Promise) // at once from then on
    expect(bound).toEqual(['a 1'])
  })

  test('leases nothing for an unknown or unloaded model', async () => {
    const { own } = library()
    expect(own.present('a')).toBeUndefined()
    await own.put({ ...ready(1), version: undefined, state: 'unloaded' })
    expect(own.present('a')).toBeUndefined()
    expect(own.entry('a')?.state).toBe('unloaded')
  })

  test('disposes of a superseded version after its last reader; new leases get the next version', async () => {
    const { own, disposed } = library()
    await own.put(ready(1))
    const [first, second] = [await own.present('a'), await own.present('a')] as Lease[]
    let drained = false
    const draining = own.put(ready(2)).then(() => {
      drained = true
    })
    expect(await nameOf(own.present('a'))).toBe('a 2')
    first.release()
    await Promise.resolve()
    expect([drained, disposed]).toEqual([false, []])
    expect(nameIn(second)).toBe('a 1')
    second.release()
    await draining
    expect(disposed).toEqual(['a 1'])
  })

  test('disposes at once of a version without readers, and of one never bound', async () => {
    const { own, disposed } = library()
    await own.put(ready(1))
    ;((await own.present('a')) as Lease).release()
    await own.put(ready(2))
    expect(disposed).toEqual(['a 1'])
    await own.put(ready(3))
    await own.drop('a')
    expect(disposed).toEqual(['a 1']) // 2 and 3 were never bound
    expect(own.entries()).toEqual([])
  })

  test('drops a model for new requests, while its readers finish', async () => {
    const { own, disposed } = library()
    await own.put(ready(1))
    const lease = (await own.present('a')) as Lease
    const dropped = own.drop('a')
    expect(own.present('a')).toBeUndefined()
    expect(disposed).toEqual([])
    lease.release()
    await dropped
    expect(disposed).toEqual(['a 1'])
  })

  test('binds again after a failure', async () => {
    const { own, fails } = library()
    await own.put(ready(1))
    fails.next = true
    await expect(own.present('a')).rejects.toThrow('no a 1')
    fails.next = false
    expect(await nameOf(own.present('a'))).toBe('a 1')
  })

  test('an entry with the same version keeps the bound tables', async () => {
    const { own, bound } = library()
    const entry = ready(1)
    await own.put(entry)
    await own.present('a')
    await own.put({ ...entry, origin: 'folder' })
    expect(await nameOf(own.present('a'))).toBe('a 1')
    expect(bound).toEqual(['a 1'])
  })
})
