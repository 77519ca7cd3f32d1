import { connect } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { embed, listen, type TestService, testService } from '../../helper.js'
import { until } from '../../until.js'

let service: TestService
/** Leases that requests hold. */
let held: number
let most: number
beforeEach(async () => {
  service = await testService()
  held = most = 0
  const { models } = service
  const lease = models.lease.bind(models)
  models.lease = async (id, claim) => {
    const own = await lease(id, claim)
    most = Math.max(most, ++held)
    const { model, entry, version } = own
    const release = () => {
      held--
      own.release()
    }
    return { model, entry, version, release }
  }
})
afterEach(() => service.close())

test('a model is given back by each request, answered or refused', async () => {
  expect((await embed(service, { input_ids: [1, 2] })).status).toBe(200)
  expect((await embed(service, { input_ids: [1, 2], context_length: 2000 })).status).toBe(422)
  expect((await embed(service, { input_ids: [60_000] })).status).toBe(422)
  expect([held, most]).toEqual([0, 1])
})

test('a model is given back once a client has left in the middle of its answer', async () => {
  const port = await listen(service)
  const body = JSON.stringify({ input_ids: Array(200_000).fill(1), context_length: 1000 })
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST /v1/input-embeddings HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  await new Promise((resolve) => socket.once('data', resolve))
  expect(held).toBe(1)
  socket.destroy()
  await until(() => held === 0)
})
