import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sendBeforeBodyEnds } from '../../../src/http/answers/refused-body.js'

const ANSWER = Buffer.from('{"error":{}}')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A request whose body still comes, and what its answer is. */
function refused(headers: Record<string, string>) {
  const sent: { headers: object; head?: unknown; written: Buffer[]; payload?: Buffer } = {
    headers: { 'retry-after': '1' },
    written: [],
  }
  const state = { isRead: false, isEnded: false }
  const raw = Object.assign(new EventEmitter(), {
    headers,
    complete: false,
    destroyed: false,
    resume() {
      state.isRead = true
      return raw
    },
  })
  const response = Object.assign(new EventEmitter(), {
    writeHead(status: number, given: object) {
      sent.head = { status, ...given }
      return response
    },
    write: (block: Buffer) => sent.written.push(block),
    end() {
      state.isEnded = true
      response.emit('close')
    },
  })
  const reply = {
    raw: response,
    statusCode: 503,
    hijack() {},
    getHeaders: () => sent.headers,
    hasHeader: () => true,
    headers: (more: object) => Object.assign(sent.headers, more),
    send(payload: Buffer) {
      sent.payload = payload
    },
  }
  sendBeforeBodyEnds({ raw, id: 'an-id' } as never, reply as never, ANSWER)
  return { raw, sent, state }
}

describe('the answer to a request whose body still comes', () => {
  test('goes out first; nothing is read for half a second, then the rest is dropped for ten', () => {
    const { raw, sent, state } = refused({ 'content-length': '65537' })
    const own = { status: 503, 'retry-after': '1', connection: 'close', 'content-length': ANSWER.length }
    expect(sent.head).toMatchObject({ ...own, 'X-Request-Id': 'an-id' })
    expect(sent.written).toEqual([ANSWER])
    vi.advanceTimersByTime(499)
    expect(state).toEqual({ isRead: false, isEnded: false })
    vi.advanceTimersByTime(1)
    expect(state).toEqual({ isRead: true, isEnded: false })
    expect(raw.listenerCount('data')).toBe(1)
    vi.advanceTimersByTime(9999)
    expect(state.isEnded).toBe(false)
    vi.advanceTimersByTime(1)
    expect(state.isEnded).toBe(true)
  })

  test('is whole as soon as the client leaves, and no clock goes on', () => {
    const { raw, state } = refused({ 'transfer-encoding': 'chunked' })
    raw.emit('close')
    expect(state).toEqual({ isRead: false, isEnded: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves the connection open where the rest is small: it is read at once', () => {
    const { sent, state } = refused({ 'content-length': '65536' })
    expect(sent).toMatchObject({ written: [], payload: ANSWER })
    expect(state.isRead).toBe(true)
  })
})
