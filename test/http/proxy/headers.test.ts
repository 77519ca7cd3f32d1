import { expect, test } from 'vitest'
import { requestHeaders } from '../../../src/http/proxy/headers.js'

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
