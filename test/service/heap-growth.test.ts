import { expect, test } from 'vitest'
import { ownServers } from './own.js'

const startServer = ownServers()

test('300 MB of bodies begin few full marks of the heap', async () => {
  const server = startServer({ THREADS: '1', QUEUE_TIMEOUT_MS: '60000' }, { nodeArgs: ['--trace-gc'] })
  await server.ready()
  const marks = () => server.output.log.match(/Mark-Compact/g)?.length ?? 0
  const before = marks()
  const url = `http://127.0.0.1:${await server.port()}/v1/input-embeddings?context_length=1024&outputs=window_starts`
  const body = Buffer.alloc(1 << 20, 'qz xw ')
  const client = async () => {
    for (let i = 0; i < 25; i++) {
      const answer = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body })
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 12 }, client))
  expect(marks() - before).toBeLessThan(30) // 47–62 where V8 chooses its own factor, 14–15 here
})
