import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sendBeforeBodyEnds } from '../../../src/service/answer/refused-body.js'

const ANSWER = Buffer.from('{"error":{}}')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A request whose body still comes, and what its answer is. */
async function refused(headers: Record<string, string>, isWritable = true) {
  const sent: { headers: object; head?: unknown; written: Buffer[]; payload?: Buffer } = {
    headers: { 'retry-after': '1' },
    written: [],
  }
  const state = { isRead: false, isEnded: false }
  const raw = Object.assign(new EventEmitter(), {
    headers,
    complete: false,
    socket: { writable: isWritable },
    destroyed: false,
    resume() {
      state.isRead = true
      return raw
    },
  })
  const response = Object.assign(new EventEmitter(), {
    writeHead(status: number, given: readonly string[]) {
      const pairs = given.flatMap((name, i) => (i % 2 === 0 ? [[name, given[i + 1]]] : []))
      sent.head = { status, ...Object.fromEntries(pairs) }
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
  const server = { isStopping: () => false }
  sendBeforeBodyEnds({ raw, id: 'an-id', server } as never, reply as never, ANSWER)
  await new Promise((resolve) => process.nextTick(resolve))
  return { raw, sent, state }
}

describe('the answer to a request whose body still comes', () => {
  test('goes out first; nothing is read for half a second, then the rest is dropped for ten', async () => {
    const { raw, sent, state } = await refused({ 'content-length': '65537' })
    const own = {
      status: 503,
      'retry-after': '1',
      connection: 'close',
      'content-length': String(ANSWER.length),
    }
    expect(sent.head).toMatchObject({ ...own, 'x-request-id': 'an-id' })
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

  test('is complete as soon as the client leaves, and no timer stays', async () => {
    const { raw, state } = await refused({ 'transfer-encoding': 'chunked' })
    raw.emit('close')
    expect(state).toEqual({ isRead: false, isEnded: true })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is not begun if the connection had its last answer before', async () => {
    const { sent } = await refused({ 'content-length': '65537' }, false)
    expect(sent.written).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('leaves the connection open where the rest is small: it is read at once', async () => {
    const { sent, state } = await refused({ 'content-length': '65536' })
    expect(sent).toMatchObject({ written: [], payload: ANSWER })
    expect(state.isRead).toBe(true)
  })
})
