import { describe, expect, test } from 'vitest'
import { MAX_OPERATORS, ownDescriptors, socketBounds } from '../../src/load/descriptors.js'

const DEFAULT = { MAX_CONNECTIONS: 10_000 }
/** Files, and the threads that do not serve. */
const OTHERS = 32 + 2 * 8
/** A further thread that serves, while it starts. */
const A_THREAD = 8 + 84

describe('MAX_CONNECTIONS under the limit of file descriptors', () => {
  test('stays where there are enough, with a quarter more sockets for handshakes and refusals', () => {
    const enough = { connections: 10_000, sockets: 12_500, operators: 0 }
    expect(socketBounds(DEFAULT, 2, { limit: 20_000, open: 20 })).toEqual(enough)
    expect(socketBounds(DEFAULT, 2, undefined)).toEqual(enough) // the system does not tell
    expect(socketBounds({ MAX_CONNECTIONS: 2 }, 2, undefined)).toMatchObject({ connections: 2, sockets: 66 })
  })

  test.each([192, 256, 1024])('of %i: all sockets, files and threads together fit', (limit) => {
    const { connections, sockets } = socketBounds(DEFAULT, 2, { limit, open: 20 })
    expect(connections).toBeGreaterThan(0)
    expect(connections).toBeLessThan(sockets)
    expect(sockets + 20 + A_THREAD + OTHERS).toBeLessThanOrEqual(limit)
  })

  test('leaves room for operators', () => {
    const own = { limit: 1024, open: 20 }
    const both = socketBounds({ ...DEFAULT, ADMIN_PORT: 1 }, 1, own)
    expect(both.operators).toBeGreaterThan(0)
    expect(both.sockets + both.operators).toBeLessThanOrEqual(own.limit - own.open - OTHERS)
    expect(socketBounds({ ...DEFAULT, ADMIN_PORT: 1 }, 1, undefined).operators).toBe(MAX_OPERATORS)
  })

  test('is none where the threads alone take them all', () => {
    expect(socketBounds(DEFAULT, 8, { limit: 160, open: 20 }).connections).toBeLessThan(1)
  })
})

test('a process on Linux knows its descriptors', () => {
  if (process.platform !== 'linux') return expect(ownDescriptors()).toBeUndefined()
  const { limit, open } = ownDescriptors()!
  expect(open).toBeGreaterThan(3)
  expect(limit).toBeGreaterThan(open)
})
