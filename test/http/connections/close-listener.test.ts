import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { Connections } from '../../../src/http/connections/connections.js'
import { open } from '../../raw-http.js'

/** A server whose clock looks often, and ends what has not come whole after a tenth of a second. */
async function quickClock() {
  const times = { connectionsCheckingInterval: 20, headersTimeout: 100, requestTimeout: 100 }
  const server = createServer(times, () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { connections: new Connections(server), port: (server.address() as AddressInfo).port, server }
}

describe('a listener that closes', () => {
  test.each(['', 'GET / HT', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab'])(
    'leaves the clock running that ends what does not come: %j',
    async (sent) => {
      const { connections, port, server } = await quickClock()
      const socket = await open(port)
      socket.write(sent)
      await connections.closeListener()
      expect(server.listening).toBe(false)
      const [answer] = await once(socket, 'data')
      expect(String(answer)).toMatch(/^HTTP\/1.1 408/)
      socket.destroy()
    },
  )

  test('takes first what waits in its queue', async () => {
    const { connections, port, server } = await quickClock()
    let taken = 0
    server.on('connection', () => taken++)
    const sockets = Promise.all(Array.from({ length: 50 }, () => open(port)))
    // The kernel has taken them all when the last one is connected; the server has heard of none while this waits.
    const heldUp = performance.now() + 100
    while (performance.now() < heldUp);
    await connections.closeListener()
    for (const socket of await sockets) socket.destroy()
    expect(taken).toBe(50)
  })
})
