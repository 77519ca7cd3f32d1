import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { sendBeforeBodyEnds } from '../../../src/http/answers/refused-body.js'

const ANSWER = Buffer.from('{"error":{}}')

/** The clocks that ran, in milliseconds, and what ends each. */
let clocks: { milliseconds: number; end(): void }[] = []
beforeEach(() => {
  clocks = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
    const controller = new AbortController()
    clocks.push({ milliseconds, end: () => controller.abort() })
    return controller.signal
  })
})
afterEach(() => void vi.restoreAllMocks())

/** A request whose body still comes, and what its answer is. */
function refused(headers: Record<string, string>) {
  const state = { isRead: false }
  const raw = Object.assign(new EventEmitter(), {
    headers,
    complete: false,
    destroyed: false,
    resume() {
      state.isRead = true
      return raw
    },
  })
  const sent: { headers: Record<string, unknown>; payload?: Buffer | Readable } = { headers: {} }
  const reply = {
    header(name: string, value: unknown) {
      sent.headers[name] = value
      return reply
    },
    send(payload: Buffer | Readable) {
      sent.payload = payload
    },
  }
  sendBeforeBodyEnds({ raw } as never, reply as never, ANSWER)
  return { raw, sent, state }
}

/** Lets everything that is due happen. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('the answer to a request whose body still comes', () => {
  test('goes out first; nothing is read for half a second, then the rest is dropped for ten', async () => {
    const { raw, sent, state } = refused({ 'content-length': '65537' })
    expect(sent.headers).toEqual({ connection: 'close', 'content-length': ANSWER.length })
    const parts: Buffer[] = []
    const ended = (async () => {
      for await (const part of sent.payload as Readable) parts.push(part)
      return 'ended'
    })()
    await settle()
    expect([Buffer.concat(parts).toString(), state.isRead]).toEqual([ANSWER.toString(), false])
    expect(clocks.map(({ milliseconds }) => milliseconds)).toEqual([500])
    clocks[0].end()
    await settle()
    expect(state.isRead).toBe(true)
    expect(raw.listenerCount('data')).toBe(1)
    expect(clocks.map(({ milliseconds }) => milliseconds)).toEqual([500, 10_000])
    clocks[1].end()
    expect(await ended).toBe('ended')
  })

  test('is whole as soon as the client leaves', async () => {
    const { raw, sent, state } = refused({ 'transfer-encoding': 'chunked' })
    const ended = (async () => {
      for await (const _ of sent.payload as Readable);
      return 'ended'
    })()
    await settle()
    raw.emit('close')
    expect(await ended).toBe('ended')
    expect([state.isRead, clocks.length]).toEqual([false, 1])
  })

  test('leaves the connection open where the rest is small: it is read at once', () => {
    const { sent, state } = refused({ 'content-length': '65536' })
    expect(sent).toEqual({ headers: {}, payload: ANSWER })
    expect(state.isRead).toBe(true)
  })
})
