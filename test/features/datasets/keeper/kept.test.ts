import { expect, test } from 'vitest'
import { Kept } from '../../../../src/features/datasets/keeper/kept.js'

const MIB = 1 << 20

interface Making<Value> {
  readonly most: number
  make(): Promise<{ readonly value: Value; readonly bytes: number }>
}

function keptOf(most: number) {
  const gone: string[] = []
  const kept = new Kept(most, (key) => void gone.push(key))
  const get = <Value>(key: string, { most: bytes, make }: Making<Value>) => kept.get(key, bytes, make)
  return { kept, gone, get }
}

const making = (value: string, most: number, bytes = most): Making<string> => ({
  most,
  make: async () => ({ value, bytes }),
})

/** A work that begins at once and goes on until it is told to end. */
function longWork(most: number) {
  let end = (_: string) => {}
  const make = () =>
    new Promise<{ value: string; bytes: number }>((resolve) => {
      end = (value) => resolve({ value, bytes: most })
    })
  return { most, make, end: (value: string) => end(value) }
}

test('a value is made once, and those that wait for it share it', async () => {
  const { get } = keptOf(10_000)
  let made = 0
  const work = { most: 10, make: async () => ({ value: ++made, bytes: 10 }) }
  expect(await Promise.all([get('a', work), get('a', work)])).toEqual([1, 1])
  expect(await get('a', work)).toBe(1)
})

test('memory that the making took beyond the value is given back', async () => {
  const { kept, get } = keptOf(100_000)
  const value = get('a', making('a', 80_000, 30_000))
  expect(kept.held).toBe(80_000)
  await value
  expect(kept.held).toBe(31_024)
})

test('the value that was used least recently makes room, and all threads are told', async () => {
  const { get, gone } = keptOf(100_000)
  await get('a', making('a', 40_000))
  await get('b', making('b', 40_000))
  await get('a', making('new', 40_000))
  await get('c', making('c', 40_000))
  expect(gone).toEqual(['b'])
  expect(await get('a', making('new', 40_000))).toBe('a')
  expect(await get('b', making('new', 40_000))).toBe('new')
})

test('a value that never fits is refused, one that fails is made again, and neither holds room', async () => {
  const { kept, get } = keptOf(100)
  await expect(get('a', making('a', 101))).rejects.toMatchObject({ code: 'insufficient_memory' })
  await expect(get('a', { most: 50, make: () => Promise.reject(new Error('broken')) })).rejects.toThrow(
    'broken',
  )
  expect(kept.held).toBe(0)
  expect(await get('a', making('a', 50))).toBe('a')
})

test('values of a dataset are dropped with it, also while they are made', async () => {
  const { kept, get } = keptOf(100_000)
  await get('x starts', making('x', 10))
  await get('y starts', making('y', 10))
  const onItsWay = get('x index', making('x', 20_000, 10))
  kept.drop('x ')
  expect(await onItsWay).toBe('x')
  expect(kept.held).toBe(1034)
})

test('ever new values never hold more than the bound, and nothing is held for good', async () => {
  const { kept, get } = keptOf(64 * MIB)
  for (let seed = 0; seed < 200; seed++) {
    await get(`order ${seed}`, making('order', 3 * MIB))
    expect(kept.held).toBeLessThanOrEqual(64 * MIB)
  }
  kept.drop('order')
  expect(kept.held).toBe(0)
})

test('what does not fit beside a work can be asked for again; short ones fit beside the longest', async () => {
  const { kept, get } = keptOf(16 * MIB)
  const first = longWork(14 * MIB)
  const made = get('first', first)
  await expect(get('second', making('second', 2 * MIB))).rejects.toMatchObject({ code: 'dataset_indexing' })
  expect(kept.held).toBe(14 * MIB)
  expect(await get('short', making('short', MIB))).toBe('short')
  first.end('1')
  expect(await made).toBe('1')
  expect(await get('second', making('second', 2 * MIB))).toBe('second')
})
