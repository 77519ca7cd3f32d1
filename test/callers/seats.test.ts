import { describe, expect, test } from 'vitest'
import { type ApiKey, parseApiKeys } from '../../src/api-keys.js'
import { Accounts } from '../../src/callers/accounts.js'
import { charge, wait } from '../../src/callers/bucket.js'
import { callerOf, type Limit } from '../../src/callers/caller.js'
import { MAX_CALLERS } from '../../src/callers/caller-limits.js'
import { parseCallersFile } from '../../src/callers/callers-file.js'
import { Seats } from '../../src/callers/seats.js'

const places = (keys: readonly ApiKey[]) =>
  Object.fromEntries(keys.map(({ name, account }) => [name, account]))

test('whoever stays in the file keeps the account; another one begins at 0', () => {
  const accounts = new Accounts()
  const seats = new Seats(accounts)
  const first = seats.seated(parseApiKeys('a:1,b:2,c:3'))
  expect(places(first)).toEqual({ a: 1, b: 2, c: 3 })
  for (const { account = 0 } of first) accounts.count(account, { rateLimited: true, tokens: 5, bytes: 7 })
  const next = seats.seated(parseApiKeys('d:4,c:9,a:1'))
  expect(places(next)).toEqual({ a: 1, c: 3, d: 4 })
  const text = accounts.text(next)
  expect(text).toContain('inlet_caller_requests_total{caller="a"} 1\n')
  expect(text).toContain('inlet_caller_rate_limited_total{caller="c"} 1\n')
  expect(text).toContain('inlet_caller_tokens_total{caller="c"} 5\n')
  expect(text).toContain('inlet_caller_response_bytes_total{caller="a"} 7\n')
  expect(text).toContain('inlet_caller_requests_total{caller="d"} 0\n')
  expect(text).not.toContain('"b"')
})

test('whoever comes back finds what was used: a file that is half written lets nobody begin anew', () => {
  const accounts = new Accounts()
  const seats = new Seats(accounts)
  const [, b] = seats.seated(parseApiKeys('a:1,b:2'))
  accounts.count(b?.account ?? 0, { rateLimited: false, tokens: 5, bytes: 0 })
  seats.seated(parseApiKeys('a:1'))
  const back = seats.seated(parseApiKeys('c:3,b:4'))
  expect(places(back)).toEqual({ b: 2, c: 3 })
  expect(accounts.text(back)).toContain('inlet_caller_tokens_total{caller="b"} 5\n')
})

test('the account of who has been gone longest is given away when all are taken', () => {
  const accounts = new Accounts()
  const seats = new Seats(accounts)
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `n${from + i}:k${from + i}`).join(',')
  const first = seats.seated(parseApiKeys(many(0, MAX_CALLERS)))
  for (const { account = 0 } of first) accounts.count(account, { rateLimited: false, tokens: 1, bytes: 0 })
  seats.seated(parseApiKeys(many(1, MAX_CALLERS))) // n0 goes first
  seats.seated(parseApiKeys(many(2, MAX_CALLERS)))
  const next = seats.seated(parseApiKeys(`new:key,${many(2, MAX_CALLERS)}`))
  expect(places(next)).toMatchObject({ new: 1, n2: 3 })
  expect(accounts.text(next)).toContain('inlet_caller_tokens_total{caller="new"} 0\n')
  const all = seats.seated(parseApiKeys(many(MAX_CALLERS, 2 * MAX_CALLERS)))
  expect(new Set(all.map(({ account }) => account)).size).toBe(MAX_CALLERS)
})

describe('a rate that changes', () => {
  const SECOND = 1_000_000_000n
  const accounts = new Accounts()
  let now = 1000n * SECOND
  const seats = new Seats(accounts, () => now)
  const limited = (limits: object) => {
    const [key] = seats.seated(
      parseCallersFile(JSON.stringify({ callers: [{ name: 'a', key: 'k', ...limits }] })),
    )
    const [limit] = callerOf(key as ApiKey, accounts).limits
    return limit as Limit
  }

  test('works off by the higher rate what was used', () => {
    charge(limited({ tokens_per_second: 1 }), 1000, now)
    expect(wait(limited({ tokens_per_second: 1 }), now)).toBe(1000)
    expect(wait(limited({ tokens_per_second: 500 }), now)).toBeCloseTo(1.002)
  })

  test('makes nobody wait longer than before', () => {
    now += 100n * SECOND
    charge(limited({ tokens_per_second: 1000 }), 5000, now)
    expect(wait(limited({ tokens_per_second: 1 }), now)).toBe(5)
  })
})

test('where there are no callers nothing is said of them', () => {
  expect(new Accounts().text([])).toBe('')
})
