import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { IdleCollection, LOOK_MS } from '../../src/load/idle-collection.js'

const MIB = 2 ** 20

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => vi.useRealTimers())

/**
 * A thread with `external` bytes outside the heap, `young` of them garbage of new objects, of which its requests hold
 * `ownBytes`; what was done in it.
 */
function thread() {
  const did: string[] = []
  const state = { external: 100 * MIB, young: 0, ownBytes: 0, busy: 0 }
  const rest = new IdleCollection({
    externalBytes: () => state.external,
    busyShare: () => state.busy,
    collectYoung() {
      state.external -= state.young
      if (state.young > 0) did.push('young collected')
      state.young = 0
    },
    collect: () => void did.push('collected'),
  })
  const stop = rest.watch(
    {
      get ownBytes() {
        return state.ownBytes
      },
    },
    () => void did.push('buffers dropped'),
  )
  const look = (times = 1) => vi.advanceTimersByTime(times * LOOK_MS)
  return { rest, did, state, look, stop }
}

describe('a thread at rest', () => {
  test('drops its buffers and collects after two checks, and once more: then it is quiet', () => {
    const { state, look, did } = thread()
    state.external += 16 * MIB
    look()
    expect(did).toEqual([])
    look()
    expect(did).toEqual(['buffers dropped', 'collected'])
    look()
    expect(did).toEqual(['buffers dropped', 'collected', 'collected'])
    look(100)
    expect(did).toHaveLength(3)
  })

  test('collects new objects alone where these hold the memory, and what they leave counts on', () => {
    const { state, look, did } = thread()
    state.external += 24 * MIB
    state.young = 12 * MIB
    look(10)
    expect(did).toEqual(['young collected'])
    state.external += 4 * MIB
    look()
    expect(did.slice(1)).toEqual(['buffers dropped', 'collected'])
  })

  test('collects nothing for less than 16 MiB', () => {
    const { state, look, did } = thread()
    state.external += 16 * MIB - 1
    look(100)
    expect(did).toEqual([])
  })

  test('counts growth from what was left after it collected last', () => {
    const { state, look, did } = thread()
    state.external += 20 * MIB
    look(3)
    expect(did).toHaveLength(3)
    state.external += 15 * MIB
    look(100)
    expect(did).toHaveLength(3)
    state.external += MIB
    look()
    expect(did.slice(3)).toEqual(['buffers dropped', 'collected'])
  })

  test('counts tables that it has dropped, once', () => {
    const { rest, look, did } = thread()
    rest.letTablesGo(10 * MIB)
    look(10)
    expect(did).toEqual([])
    rest.letTablesGo(6 * MIB)
    look(100)
    expect(did).toEqual(['buffers dropped', 'collected', 'collected'])
  })

  test('is one whose requests hold no more than 1 MiB, for two checks in a row', () => {
    const { state, look, did } = thread()
    state.external += 16 * MIB
    for (let i = 0; i < 5; i++) {
      state.ownBytes = MIB + 1
      look()
      state.ownBytes = 0
      look()
    }
    expect(did).toEqual([])
    state.ownBytes = MIB
    look()
    expect(did).toEqual(['buffers dropped', 'collected'])
  })

  test('is one that has worked for at most a quarter of the time, for two checks in a row', () => {
    const { state, look, did } = thread()
    state.external += 16 * MIB
    for (let i = 0; i < 5; i++) {
      state.busy = 0.26
      look()
      state.busy = 0.25
      look()
    }
    expect(did).toEqual([])
    look()
    expect(did).toEqual(['buffers dropped', 'collected'])
  })

  test('checks no more once it is stopped', () => {
    const { state, look, did, stop } = thread()
    state.external += 100 * MIB
    stop()
    look(10)
    expect(did).toEqual([])
  })
})

describe('tables that were let go', () => {
  test('of more than 256 MiB are collected at once, after the work that dropped them, once', async () => {
    const { rest, state, did } = thread()
    state.ownBytes = 100 * MIB // it is at work
    rest.letTablesGo(256 * MIB)
    await turn()
    expect(did).toEqual([])
    rest.letTablesGo(1)
    rest.letTablesGo(1)
    expect(did).toEqual([])
    await turn()
    expect(did).toEqual(['collected'])
    rest.letTablesGo(256 * MIB)
    await turn()
    expect(did).toEqual(['collected'])
  })

  test('are collected when their thread has nothing else to do, once', () => {
    const { rest, did } = thread()
    rest.tidyTables()
    expect(did).toEqual([])
    rest.letTablesGo(1)
    rest.tidyTables()
    rest.tidyTables()
    expect(did).toEqual(['collected'])
  })
})

test('the thread’s own collector runs', () => {
  const rest = new IdleCollection()
  const gone = new WeakRef(new ArrayBuffer(8))
  rest.letTablesGo(1)
  return turn().then(() => {
    rest.tidyTables()
    expect(gone.deref()).toBeUndefined()
  })
})
