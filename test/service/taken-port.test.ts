import { expect, test } from 'vitest'
import { ownServers } from './own.js'

const start = ownServers()

test('a port that is taken: the service ends with 1 and names another one', async () => {
  const first = start({ THREADS: '1', EMBEDDING_DIM: '8', VOCAB_SIZE: '1000' })
  const port = await first.port()
  const second = start({ THREADS: '1', PORT: String(port) })
  expect(await second.exited).toBe(1)
  expect(second.output.errors).toContain(`EADDRINUSE`)
  expect(second.output.errors.trim()).toMatch(
    new RegExp(`\\. Take another one: PORT=${(port % 65_535) + 1} npm start$`),
  )
})
