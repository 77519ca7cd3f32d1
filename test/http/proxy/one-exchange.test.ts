import { EventEmitter } from 'node:events'
import type { ClientRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Exchange } from '../../../src/http/proxy/exchange.js'

/** A request to an upstream that does as the test says. */
class FakeRequest extends EventEmitter {
  destroyed = false
  writableNeedDrain = false
  reusedSocket = false
  socket: EventEmitter & { bytesRead: number } = Object.assign(new EventEmitter(), { bytesRead: 0 })
  readonly written: Uint8Array[] = []
  readonly end = vi.fn()
  error: Error | undefined
  readonly cork = () => {}
  readonly uncork = () => {}

  write(block: Uint8Array, taken?: () => void): boolean {
    this.written.push(Buffer.from(block))
    taken?.()
    return true
  }

  destroy(error?: Error): void {
    this.destroyed = true
    this.error = error
    if (error !== undefined) this.emit('error', error)
    this.emit('close')
  }
}

let request: FakeRequest
let exchange: Exchange
beforeEach(() => {
  vi.useFakeTimers()
  request = new FakeRequest()
  exchange = new Exchange(request as unknown as ClientRequest, 5)
})
afterEach(() => {
  vi.useRealTimers()
})

const codeOf = () =>
  exchange.answer.then(
    () => 'answered',
    (error) => error.code,
  )

describe('an exchange with an upstream', () => {
  test('that changes the protocol destroys the socket and has no answer', async () => {
    const socket = { destroy: vi.fn() }
    request.emit('upgrade', {}, socket)
    expect(socket.destroy).toHaveBeenCalledTimes(1)
    expect(await codeOf()).toBe('upstream_failed')
  })

  test.each([
    [200, 'answered', false],
    [599, 'answered', false],
    [503, 'answered', false],
    [199, 'upstream_failed', true],
    [600, 'upstream_failed', true],
  ])('whose status is %d is %s', async (statusCode, code, destroyed) => {
    request.emit('response', { statusCode })
    expect([await codeOf(), request.destroyed]).toEqual([code, destroyed])
  })

  test('that ends leaves no timer, and destroys the request', () => {
    expect(vi.getTimerCount()).toBe(1)
    const error = new Error('over')
    exchange.end(error)
    expect([vi.getTimerCount(), request.destroyed, request.error]).toEqual([0, true, error])
  })

  test('that is silent is ended as such', async () => {
    vi.advanceTimersByTime(4999)
    expect(request.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect([request.destroyed, await codeOf()]).toEqual([true, 'upstream_timeout'])
  })

  test('that closes before its head has no answer, one that closes after it has', async () => {
    request.emit('close')
    expect(await codeOf()).toBe('upstream_failed')
    const other = new FakeRequest()
    const answered = new Exchange(other as unknown as ClientRequest, 5)
    other.emit('response', { statusCode: 200 })
    other.emit('close')
    expect(await answered.answer).toEqual({ statusCode: 200 })
    answered.end()
  })

  test.each(['connect', 'close'])('has 10 s for its connection, until %s', async (event) => {
    const socket = Object.assign(new EventEmitter(), { connecting: true, bytesRead: 0 })
    request.emit('socket', socket)
    expect(vi.getTimerCount()).toBe(2)
    socket.emit(event)
    expect(vi.getTimerCount()).toBe(1)
    exchange.end()
  })

  test('whose connection takes longer than 10 s is ended', async () => {
    exchange.end()
    const slow = new FakeRequest()
    const waiting = new Exchange(slow as unknown as ClientRequest, 100)
    slow.emit('socket', Object.assign(new EventEmitter(), { connecting: true, bytesRead: 0 }))
    vi.advanceTimersByTime(9999)
    expect(slow.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    await expect(waiting.answer).rejects.toMatchObject({ code: 'upstream_timeout' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('on a kept connection has no time for connecting', () => {
    request.emit('socket', Object.assign(new EventEmitter(), { connecting: false, bytesRead: 7 }))
    expect(vi.getTimerCount()).toBe(1)
    exchange.end()
  })

  test.each([
    ['ECONNRESET', true, 7, true],
    ['EPIPE', true, 7, true],
    ['ENOTFOUND', true, 7, false],
    ['ECONNRESET', false, 7, false],
    ['ECONNRESET', true, 8, false],
  ])('%s, reused %s, %d bytes read: the request can go once more: %s', (code, reused, read, expected) => {
    request.reusedSocket = reused
    request.emit('socket', Object.assign(new EventEmitter(), { connecting: false, bytesRead: 7 }))
    request.emit('error', Object.assign(new Error(code), { code }))
    request.socket.bytesRead = read
    expect(exchange.hitClosedConnection).toBe(expected)
    exchange.end()
  })

  test('counts the bytes that the upstream has taken, and reports when it has them all', async () => {
    async function* pieces() {
      yield Buffer.alloc(3)
      yield Buffer.alloc(4)
    }
    const whole = vi.fn()
    void exchange.whole.then(whole)
    await exchange.send(pieces())
    await Promise.resolve()
    expect([exchange.sent, request.end.mock.calls.length, whole.mock.calls.length]).toEqual([7, 1, 1])
    exchange.end()
  })
})
