import { expect, test } from 'vitest'
import { Kept } from '../../../../src/features/datasets/keeper/kept.js'

function roomOf(most: number) {
  let taken = 0
  return {
    get taken() {
      return taken
    },
    take(bytes: number) {
      if (taken + bytes > most) return false
      taken += bytes
      return true
    },
    give(bytes: number) {
      taken -= bytes
    },
  }
}

const noRoom = (bytes: number) => new RangeError(`no room for ${bytes}`)
const making = (value: string, bytes: number) => async () => ({ value, bytes })

test('a value is made once, and those that wait for it share it', async () => {
  const kept = new Kept(roomOf(100), noRoom)
  let made = 0
  const make = async () => ({ value: ++made, bytes: 10 })
  expect(await Promise.all([kept.get('a', 10, make), kept.get('a', 10, make)])).toEqual([1, 1])
  expect(await kept.get('a', 10, make)).toBe(1)
})

test('memory that the making took beyond the value is given back', async () => {
  const room = roomOf(100)
  const kept = new Kept(room, noRoom)
  const value = kept.get('a', 80, making('a', 30))
  expect(room.taken).toBe(80)
  await value
  expect(room.taken).toBe(30)
})

test('the value that was used least recently makes room', async () => {
  const kept = new Kept(roomOf(100), noRoom)
  await kept.get('a', 40, making('a', 40))
  await kept.get('b', 40, making('b', 40))
  await kept.get('a', 40, making('new', 40))
  await kept.get('c', 40, making('c', 40))
  expect(await kept.get('a', 40, making('new', 40))).toBe('a')
  expect(await kept.get('b', 40, making('new', 40))).toBe('new')
})

test('a value that never fits is refused, one that fails is made again, and neither holds room', async () => {
  const room = roomOf(100)
  const kept = new Kept(room, noRoom)
  await expect(kept.get('a', 101, making('a', 1))).rejects.toThrow('no room for 101')
  await expect(kept.get('a', 50, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(room.taken).toBe(0)
  expect(await kept.get('a', 50, making('a', 50))).toBe('a')
})

test('values of a dataset are dropped with it, also while they are made', async () => {
  const room = roomOf(100)
  const kept = new Kept(room, noRoom)
  await kept.get('x starts', 10, making('x', 10))
  await kept.get('y starts', 10, making('y', 10))
  const onItsWay = kept.get('x index', 20, making('x', 10))
  kept.drop('x ')
  expect(room.taken).toBe(30) // it is still being made
  expect(await onItsWay).toBe('x')
  expect(room.taken).toBe(10)
})

test('a value in the making is not dropped for room: it holds its memory to the end', async () => {
  const room = roomOf(100)
  const kept = new Kept(room, noRoom)
  const onItsWay = kept.get('a', 80, making('a', 30))
  const refused = kept.get('b', 40, making('b', 40))
  expect(room.taken).toBe(80)
  await expect(refused).rejects.toThrow('no room for 40')
  await onItsWay
  expect(await kept.get('b', 40, making('b', 40))).toBe('b')
})
