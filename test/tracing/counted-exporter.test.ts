import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CountedExporter, EXPORT_MS } from '../../src/tracing/counted-exporter.js'
import { RateLimiter } from '../../src/tracing/rate-limiter.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const SPANS = Array.from({ length: 6 }, () => ({}) as ReadableSpan)

/** A limiter with place for one request, whose six spans go to a collector that answers when `answer` is called. */
function exported() {
  const limiter = new RateLimiter(6)
  limiter.begin()
  limiter.ended(SPANS.length)
  let answer: (result: ExportResult) => void = () => {}
  const collector = {
    export: (_: ReadableSpan[], done: typeof answer) => {
      answer = done
    },
    shutdown: async () => {},
  }
  const results: ExportResult[] = []
  new CountedExporter(collector, limiter).export(SPANS, (result) => results.push(result))
  return { limiter, results, answer: (code: ExportResultCode) => answer({ code }) }
}

test('spans that the collector takes are counted, and free their places', () => {
  const { limiter, results, answer } = exported()
  expect(limiter.has()).toBe(false)
  answer(ExportResultCode.SUCCESS)
  expect([limiter.has(), limiter.exported, limiter.failed]).toEqual([true, 6, 0])
  vi.advanceTimersByTime(EXPORT_MS)
  expect(results).toEqual([{ code: ExportResultCode.SUCCESS }])
})

test('an export that never ends has failed after half a minute, once, whatever comes later', () => {
  const { limiter, results, answer } = exported()
  vi.advanceTimersByTime(EXPORT_MS - 1)
  expect(limiter.has()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([limiter.has(), limiter.exported, limiter.failed]).toEqual([true, 0, 6])
  answer(ExportResultCode.SUCCESS)
  expect([limiter.exported, limiter.failed, results.length]).toEqual([0, 6, 1])
  expect(results[0]!.error!.message).toBe('The collector did not take them within 30000 ms')
})
