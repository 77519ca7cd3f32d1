import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { exchange, jsonRequest, open } from '../../raw-http.js'
import { until } from '../../until.js'

/** Documents whose tokenizing has begun, and may go on once `free` is set. */
let begun = 0
let free = true

let service: TestService
let port: number
beforeAll(async () => {
  service = await testService(
    {},
    {
      encoding: ({ encodeShort: _, ...rest }) => ({
        ...rest,
        stream(options) {
          begun++
          const stream = rest.stream(options)
          return {
            write: (utf8) => stream.write(utf8),
            end: () => stream.end(),
            advance: (ids) => !free || stream.advance(ids),
          }
        },
      }),
    },
  )
  port = await listen(service)
})
afterAll(() => service.close())

const ids = (i: number) => `{"input_ids":[${i + 1}],"outputs":["input_ids"]}`

test('pipelined requests are answered in order, whatever their number', async () => {
  const requests = Array.from({ length: 200 }, (_, i) =>
    jsonRequest('/v1/input-embeddings', ids(i), i === 199 ? ['Connection: close'] : []),
  )
  const answers = await exchange(port, requests.join(''))
  expect(answers).toHaveLength(200)
  answers.forEach((answer, i) => {
    expect(JSON.parse(answer.body.toString()).outputs.input_ids.data).toEqual([[i + 1]])
  })
})

test('at most eight of a connection are worked on at once; the others begin as those end', async () => {
  free = false
  begun = 0
  const socket = await open(port)
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  socket.write(jsonRequest('/v1/tokenize', '{"text":"a","count_only":true}').repeat(50))
  await until(() => begun === 8)
  const other = await exchange(port, 'GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n')
  expect([other[0].status, begun]).toEqual([200, 8])
  free = true
  await until(() => text.split('"num_tokens":1').length === 51)
  expect(begun).toBe(50)
  socket.destroy()
})

test('a connection that closes leaves nothing that would begin', async () => {
  free = false
  begun = 0
  const socket = await open(port)
  socket.write(jsonRequest('/v1/tokenize', '{"text":"a","count_only":true}').repeat(50))
  await until(() => begun === 8)
  socket.destroy()
  const inFlight = async () =>
    /inlet_requests_in_flight (\d+)/.exec((await service.app.inject('/metrics')).body)?.[1]
  let count = await inFlight()
  // This one alone.
  for (; count !== '1'; count = await inFlight()) await sleep(10)
  free = true
  expect(begun).toBe(8)
})
