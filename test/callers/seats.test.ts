import { expect, test } from 'vitest'
import { type ApiKey, parseApiKeys } from '../../src/api-keys.js'
import { Accounts } from '../../src/callers/accounts.js'
import { Seats } from '../../src/callers/seats.js'

const places = (keys: readonly ApiKey[]) =>
  Object.fromEntries(keys.map(({ name, account }) => [name, account]))

test('whoever stays in the file keeps the account; a free one begins at 0', () => {
  const accounts = new Accounts()
  const seats = new Seats(accounts)
  const first = seats.seated(parseApiKeys('a:1,b:2,c:3'))
  expect(places(first)).toEqual({ a: 1, b: 2, c: 3 })
  for (const { account = 0 } of first) accounts.count(account, { rateLimited: true, tokens: 5, bytes: 7 })
  const next = seats.seated(parseApiKeys('d:4,c:9,a:1'))
  expect(places(next)).toEqual({ a: 1, c: 3, d: 2 })
  const text = accounts.text(next)
  expect(text).toContain('inlet_caller_requests_total{caller="a"} 1\n')
  expect(text).toContain('inlet_caller_rate_limited_total{caller="c"} 1\n')
  expect(text).toContain('inlet_caller_tokens_total{caller="c"} 5\n')
  expect(text).toContain('inlet_caller_response_bytes_total{caller="a"} 7\n')
  expect(text).toContain('inlet_caller_requests_total{caller="d"} 0\n')
  expect(text).not.toContain('"b"')
})

test('where there are no callers nothing is said of them', () => {
  expect(new Accounts().text([])).toBe('')
})
