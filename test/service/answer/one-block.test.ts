import fastify from 'fastify'
import { expect, test } from 'vitest'
import { addRequestEnd, endWatcher } from '../../../src/service/answer/request-end.js'
import { sendEncoded } from '../../../src/service/answer/send-encoded.js'
import { UNBOUNDED } from '../../counting-claim.js'

test('JSON of one block, in memory that threads share, is sent as it is', async () => {
  const app = fastify()
  addRequestEnd(app, endWatcher([]))
  const text = '{"ids":[15496,11,995]}'
  app.get('/', (request, reply) => {
    Object.assign(request, { claim: { ...UNBOUNDED, abort() {} } })
    const block = new Uint8Array(new SharedArrayBuffer(text.length))
    block.set(Buffer.from(text))
    const answer = { size: text.length, exact: true, headers: {}, body: [block] }
    return sendEncoded(request, reply, answer, 'application/json', 100)
  })
  expect((await app.inject('/')).body).toBe(text)
  await app.close()
})
