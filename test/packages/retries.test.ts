import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Inlet } from '../../clients/typescript/src/client.js'
import { ConnectionFailed, Refused, TimedOut } from '../../clients/typescript/src/errors.js'

type Step = (response: ServerResponse) => unknown

const OVERLOADED = {
  error: { type: 'unavailable_error', code: 'overloaded', message: 'No room', param: null },
}
const ready: Step = (response) => response.end('{"status":"ready"}')
const breaks: Step = (response) => response.destroy()
const silent: Step = () => {}
const busy = (status: number, headers: Record<string, string>, body: object): Step => {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body))
}
const cutOff: Step = (response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"sta', () => response.destroy())
}

let server: Server
let asked = 0

/** A service that answers each request with the next step. */
async function serviceOf(...steps: Step[]): Promise<string> {
  asked = 0
  server = createServer((request, response) => {
    request.resume()
    steps[asked++](response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('the TypeScript client', () => {
  it('asks again where the service is busy or the connection ends before an answer', async () => {
    const again = busy(503, { 'retry-after': '0' }, OVERLOADED)
    const url = await serviceOf(again, busy(429, {}, {}), breaks, ready)
    expect(await new Inlet(url).ready()).toEqual({ status: 'ready' })
    expect(asked).toBe(4)
  })

  it('asks no more often than it was told to', async () => {
    const again = busy(503, { 'retry-after': '0' }, OVERLOADED)
    const url = await serviceOf(again, again, ready)
    const refused = { name: 'Refused', status: 503, code: 'overloaded', retryAfter: 0 }
    await expect(new Inlet(url, { retries: 1 }).ready()).rejects.toMatchObject(refused)
    expect(asked).toBe(2)
  })

  it.each([
    ['asks for a long wait', { 'retry-after': '31' }],
    ['does not say when', {}],
  ] as const)('does not ask again where the service %s', async (_, headers) => {
    const url = await serviceOf(busy(503, headers, OVERLOADED), ready)
    await expect(new Inlet(url).ready()).rejects.toBeInstanceOf(Refused)
    expect(asked).toBe(1)
  })

  it('asks again where an answer breaks off, but not for a change', async () => {
    const url = await serviceOf(cutOff, ready, cutOff, ready)
    expect(await new Inlet(url).ready()).toEqual({ status: 'ready' })
    expect(asked).toBe(2)
    await expect(new Inlet(url).putModel('m', { embedding_dim: 4 })).rejects.toBeInstanceOf(ConnectionFailed)
    expect(asked).toBe(3)
  })

  it('warns before it waits for long', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    try {
      const url = await serviceOf(busy(503, { 'retry-after': '1' }, OVERLOADED), ready)
      await new Inlet(url).ready()
      expect(warn.mock.calls).toEqual([['inlet-client: waiting 1.0 s for try 2: No room']])
    } finally {
      warn.mockRestore()
    }
  })

  it('does not repeat a change that may have been made', async () => {
    const url = await serviceOf(breaks, ready)
    await expect(new Inlet(url).putModel('m', { embedding_dim: 4 })).rejects.toBeInstanceOf(ConnectionFailed)
    expect(asked).toBe(1)
  })

  it('ends a call that its caller aborts, with the reason, also while it waits', async () => {
    const again = busy(503, { 'retry-after': '20' }, OVERLOADED)
    const url = await serviceOf(silent, again)
    const first = new AbortController()
    const call = new Inlet(url).ready({ signal: first.signal })
    setTimeout(() => first.abort('no longer needed'), 20)
    await expect(call).rejects.toBe('no longer needed')
    const second = new AbortController()
    const waiting = new Inlet(url).ready({ signal: second.signal })
    setTimeout(() => second.abort('nor this'), 50)
    await expect(waiting).rejects.toBe('nor this')
  })

  it('ends a call when the service is silent', async () => {
    const url = await serviceOf(silent, ready)
    await expect(new Inlet(url).ready({ timeout: 0.05 })).rejects.toBeInstanceOf(TimedOut)
    expect(asked).toBe(1)
  })

  it('reports the answer of a proxy before the service', async () => {
    const url = await serviceOf((response) => response.writeHead(502).end('<html>bad gateway\nmore'))
    const refused = { status: 502, code: null, message: '502: <html>bad gateway' }
    await expect(new Inlet(url).ready()).rejects.toMatchObject(refused)
  })
})
