import { describe, expect, test } from 'vitest'
import { Accounts } from '../../src/callers/accounts.js'
import { type ApiKey, parseApiKeys } from '../../src/callers/api-keys.js'
import { charge, wait } from '../../src/callers/bucket.js'
import { callerOf, type Limit } from '../../src/callers/caller.js'
import { MAX_CALLERS } from '../../src/callers/caller-limits.js'
import { parseCallersFile } from '../../src/callers/callers-file.js'
import { Usage } from '../../src/callers/usage.js'

const places = (keys: readonly ApiKey[]) =>
  Object.fromEntries(keys.map(({ name, account }) => [name, account]))

test('a caller who stays in the file keeps the account; a new one begins at 0', () => {
  const usage = new Usage()
  const accounts = new Accounts(usage)
  const first = accounts.assign(parseApiKeys('a:1,b:2,c:3'))
  expect(places(first)).toEqual({ a: 1, b: 2, c: 3 })
  for (const { account = 0 } of first) usage.count(account, { rateLimited: true, tokens: 5, bytes: 7 })
  const next = accounts.assign(parseApiKeys('d:4,c:9,a:1'))
  expect(places(next)).toEqual({ a: 1, c: 3, d: 4 })
  const text = usage.text(next)
  expect(text).toContain('inlet_caller_requests_total{caller="a"} 1\n')
  expect(text).toContain('inlet_caller_rate_limited_total{caller="c"} 1\n')
  expect(text).toContain('inlet_caller_tokens_total{caller="c"} 5\n')
  expect(text).toContain('inlet_caller_response_bytes_total{caller="a"} 7\n')
  expect(text).toContain('inlet_caller_requests_total{caller="d"} 0\n')
  expect(text).not.toContain('"b"')
})

test('a caller who comes back finds the old counts: a half-written file resets none', () => {
  const usage = new Usage()
  const accounts = new Accounts(usage)
  const [, b] = accounts.assign(parseApiKeys('a:1,b:2'))
  usage.count(b?.account ?? 0, { rateLimited: false, tokens: 5, bytes: 0 })
  accounts.assign(parseApiKeys('a:1'))
  const back = accounts.assign(parseApiKeys('c:3,b:4'))
  expect(places(back)).toEqual({ b: 2, c: 3 })
  expect(usage.text(back)).toContain('inlet_caller_tokens_total{caller="b"} 5\n')
})

test('the account of who has been gone longest is given away when all are taken', () => {
  const usage = new Usage()
  const accounts = new Accounts(usage)
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `n${from + i}:k${from + i}`).join(',')
  const first = accounts.assign(parseApiKeys(many(0, MAX_CALLERS)))
  for (const { account = 0 } of first) usage.count(account, { rateLimited: false, tokens: 1, bytes: 0 })
  accounts.assign(parseApiKeys(many(1, MAX_CALLERS))) // n0 goes first
  accounts.assign(parseApiKeys(many(2, MAX_CALLERS)))
  const next = accounts.assign(parseApiKeys(`new:key,${many(2, MAX_CALLERS)}`))
  expect(places(next)).toMatchObject({ new: 1, n2: 3 })
  expect(usage.text(next)).toContain('inlet_caller_tokens_total{caller="new"} 0\n')
  const all = accounts.assign(parseApiKeys(many(MAX_CALLERS, 2 * MAX_CALLERS)))
  expect(new Set(all.map(({ account }) => account)).size).toBe(MAX_CALLERS)
})

describe('a rate that changes', () => {
  const SECOND = 1_000_000_000n
  const usage = new Usage()
  let now = 1000n * SECOND
  const accounts = new Accounts(usage, () => now)
  const limited = (limits: object) => {
    const [key] = accounts.assign(
      parseCallersFile(JSON.stringify({ callers: [{ name: 'a', key: 'k', ...limits }] })),
    )
    const [limit] = callerOf(key as ApiKey, usage).limits
    return limit as Limit
  }

  test('works off by the higher rate what was used', () => {
    charge(limited({ tokens_per_second: 1 }), 1000, now)
    expect(wait(limited({ tokens_per_second: 1 }), now)).toBe(1000)
    expect(wait(limited({ tokens_per_second: 500 }), now)).toBeCloseTo(1.002)
  })

  test('makes no caller wait longer than before', () => {
    now += 100n * SECOND
    charge(limited({ tokens_per_second: 1000 }), 5000, now)
    expect(wait(limited({ tokens_per_second: 1 }), now)).toBe(5)
  })
})

test('where there are no callers nothing is said of them', () => {
  expect(new Usage().text([])).toBe('')
})
