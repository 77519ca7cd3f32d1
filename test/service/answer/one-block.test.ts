import { EventEmitter, once } from 'node:events'
import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { addRequestEnd, endWatcher, whenEnded } from '../../../src/service/answer/request-end.js'
import { sendEncoded } from '../../../src/service/answer/send-encoded.js'
import { UNBOUNDED } from '../../counting-claim.js'
import { until } from '../../until.js'

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

test('what is still made for a caller who has left is in no other answer', async () => {
  const app = fastify()
  addRequestEnd(app, endWatcher([]))
  const told: string[] = []
  const gates = { a: new EventEmitter(), b: new EventEmitter() }
  async function* blocks(letter: 'a' | 'b', before: number) {
    for (let i = 0; i < before; i++) yield Buffer.alloc(1000, letter)
    told.push(`${letter} waits`)
    await once(gates[letter], 'open')
    yield Buffer.alloc(1000, letter)
    told.push(`${letter} is made`)
  }
  const route = (letter: 'a' | 'b', before: number) =>
    app.get(`/${letter}`, (request, reply) => {
      Object.assign(request, { claim: { ...UNBOUNDED, abort() {} } })
      whenEnded(request, () => told.push(`${letter} ends`))
      const answer = { size: 70_000, exact: false, headers: {}, body: blocks(letter, before) }
      return sendEncoded(request, reply, answer, 'text/plain', 100_000)
    })
  route('a', 1)
  route('b', 2)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
  await until(() => told.includes('a waits'), 'the first block')
  socket.destroy()
  await until(() => told.includes('a ends'), 'the end of the request')
  const answer = fetch(`${url}/b`)
  await until(() => told.includes('b waits'), 'two blocks of the other')
  gates.a.emit('open')
  await until(() => told.includes('a is made'), 'the rest of the first')
  gates.b.emit('open')
  expect(await (await answer).text()).toBe('b'.repeat(3000))
  await app.close()
})

test('a small answer of dear blocks is made in turns, and its work ends where it is not wanted any more', async () => {
  const app = fastify()
  addRequestEnd(app, endWatcher([]))
  let turns = 0
  let isReleased = false
  const count = () => {
    turns++
    if (turns < 1000) setImmediate(count)
  }
  function* blocks() {
    try {
      for (let i = 0; i < 5; i++) {
        for (const began = performance.now(); performance.now() - began < 3; ) {}
        turnsSeen.push(turns)
        yield Buffer.alloc(2000, 'a')
      }
    } finally {
      isReleased = true
    }
  }
  const turnsSeen: number[] = []
  let isWanted = true
  app.get('/', (request, reply) => {
    const claim = {
      ...UNBOUNDED,
      abort() {},
      throwIfAborted() {
        if (!isWanted && turnsSeen.length > 1) throw new Error('not wanted')
      },
    }
    Object.assign(request, { claim })
    setImmediate(count)
    const answer = { size: 10_000, exact: true, headers: {}, body: blocks() }
    return sendEncoded(request, reply, answer, 'application/octet-stream', 100_000)
  })
  expect((await app.inject('/')).body).toHaveLength(10_000)
  expect(new Set(turnsSeen).size).toBe(5) // others had a turn between each two
  isWanted = false
  turnsSeen.length = 0
  isReleased = false
  expect((await app.inject('/')).statusCode).toBe(500)
  expect([turnsSeen.length < 5, isReleased]).toEqual([true, true])
  await app.close()
})
