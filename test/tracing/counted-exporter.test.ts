import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CountedExporter, EXPORT_MS } from '../../src/tracing/counted-exporter.js'
import { Room } from '../../src/tracing/room.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const SPANS = Array.from({ length: 6 }, () => ({}) as ReadableSpan)

/** A room of one request, whose six spans go to a collector that answers when `answer` is called. */
function exported() {
  const room = new Room(6)
  room.begin()
  room.ended(SPANS.length)
  let answer: (result: ExportResult) => void = () => {}
  const collector = {
    export: (_: ReadableSpan[], done: typeof answer) => {
      answer = done
    },
    shutdown: async () => {},
  }
  const results: ExportResult[] = []
  new CountedExporter(collector, room).export(SPANS, (result) => results.push(result))
  return { room, results, answer: (code: ExportResultCode) => answer({ code }) }
}

test('spans that the collector takes are counted, and their room is free', () => {
  const { room, results, answer } = exported()
  expect(room.has()).toBe(false)
  answer(ExportResultCode.SUCCESS)
  expect([room.has(), room.exported, room.failed]).toEqual([true, 6, 0])
  vi.advanceTimersByTime(EXPORT_MS)
  expect(results).toEqual([{ code: ExportResultCode.SUCCESS }])
})

test('an export that never ends has failed after half a minute, once, whatever comes later', () => {
  const { room, results, answer } = exported()
  vi.advanceTimersByTime(EXPORT_MS - 1)
  expect(room.has()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([room.has(), room.exported, room.failed]).toEqual([true, 0, 6])
  answer(ExportResultCode.SUCCESS)
  expect([room.exported, room.failed, results.length]).toEqual([0, 6, 1])
  expect(results[0]!.error!.message).toBe('The collector did not take them within 30000 ms')
})
