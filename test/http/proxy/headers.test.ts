import { expect, test } from 'vitest'
import { answerHeaders, requestHeaders } from '../../../src/http/proxy/headers.js'

const GIVEN = { traceparent: 'no traceparent', tracestate: 'a=1' }
const own = { key: undefined, requestId: 'r', length: 2 }
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

test('a trace of this service takes the place of the caller’s headers, state and all', () => {
  const headers = requestHeaders(GIVEN, { ...own, trace: { traceparent: TRACEPARENT } })
  expect([headers.traceparent, headers.tracestate]).toEqual([TRACEPARENT, undefined])
  const trace = { traceparent: TRACEPARENT, tracestate: 'b=2' }
  expect(requestHeaders(GIVEN, { ...own, trace })).toMatchObject(trace)
})

test('without one the caller’s go on as they came', () => {
  expect(requestHeaders(GIVEN, own)).toMatchObject(GIVEN)
})

test('the upstream’s rules for browsers stay behind, all else comes back', () => {
  const rules = {
    'content-security-policy': 'default-src *; frame-ancestors *',
    'x-frame-options': 'ALLOWALL',
    'x-content-type-options': 'none',
    'referrer-policy': 'unsafe-url',
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'alt-svc': 'h3=":443"',
    'clear-site-data': '"*"',
  }
  const kept = { 'content-type': 'text/event-stream', 'retry-after': '3', 'cache-control': 'no-store' }
  expect(answerHeaders({ ...rules, ...kept })).toEqual(kept)
})
