import '../built.js'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { copyListener, descriptorOf } from '../../src/threads/listener-copies.js'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** A server that answers with its own name. */
async function listening(name: string, where: { port: number } | { fd: number }): Promise<Server> {
  const server = createServer((_, response) => response.setHeader('connection', 'close').end(name))
  open.push(server)
  server.listen(where)
  await once(server, 'listening')
  return server
}

test('a listener and its copies accept each by themselves, until the last of them is closed', async () => {
  const first = await listening('first', { port: 0 })
  const { port } = first.address() as AddressInfo
  const ask = async () => (await fetch(`http://127.0.0.1:${port}`)).text()
  const copies = await copyListener(first, 2)
  expect(new Set([descriptorOf(first), ...copies]).size).toBe(3)
  expect(await ask()).toBe('first') // it still listens

  const [second, third] = [
    await listening('second', { fd: copies[0]! }),
    await listening('third', { fd: copies[1]! }),
  ]
  first.close()
  second.close()
  await Promise.all([once(first, 'close'), once(second, 'close')])
  expect(await ask()).toBe('third')
  third.close()
  await once(third, 'close')
  await expect(ask()).rejects.toThrow()
})
