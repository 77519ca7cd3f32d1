import { begin, KEY, safetensors } from '../learning/proofs/trainer.mjs'
import { AnswerReader, codeOf } from './harness/answers.mjs'
import { exchange, inTurn } from './harness/calls.mjs'
import { connected, head, openConnection } from './harness/connections.mjs'

// Trainers whose bodies come in crumbs, break off, never end, or claim another's number. After each of them the model is
// where the answered calls left it.

const MODEL = 'learns'
const [ROWS, C, COUNT] = [301, 64, 512]
const DEADLINE_SECONDS = 4
const FILE = 'application/vnd.safetensors'
const GRADIENTS = `/v1/models/${MODEL}/gradients`
const CHECKPOINT = `/v1/models/${MODEL}/checkpoint`

/** A body of gradients; another `seed` is another body. */
function gradients(seed = 1, count = COUNT) {
  const ids = Int32Array.from({ length: count }, (_, i) => (i * 7919 + seed) % ROWS)
  const numbers = Float32Array.from({ length: count * C }, (_, i) => Math.sin(i * seed))
  return safetensors({
    gradients: { dtype: 'F32', shape: [1, count, C], bytes: Buffer.from(numbers.buffer) },
    input_ids: { dtype: 'I32', shape: [1, count], bytes: Buffer.from(ids.buffer) },
  })
}

const headers = (sequence, more = {}) => ({
  Authorization: `Bearer ${KEY}`,
  'Content-Type': FILE,
  ...(sequence !== undefined && { 'X-Sequence': sequence }),
  ...more,
})
const post = (sequence, body, more) => [head('POST', GRADIENTS, headers(sequence, more), body.length), body]

/** What the model says of its learning. */
async function state(service) {
  const { body } = await service.call({
    path: `/v1/models/${MODEL}`,
    headers: { Authorization: `Bearer ${KEY}` },
  })
  return JSON.parse(body).learning
}

/** A body cut into chunks of `size` bytes. */
function inChunks(body, size) {
  const parts = []
  for (let at = 0; at < body.length; at += size) {
    const some = body.subarray(at, at + size)
    parts.push(Buffer.from(`${some.length.toString(16)}\r\n`), some, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

const chunked = (size, count) => async (service) => {
  const body = inChunks(gradients(1, count), size)
  const parts = [head('POST', GRADIENTS, headers(1, { 'Transfer-Encoding': 'chunked' })), body]
  const answers = [await exchange(service.port, parts)]
  return { answers, pending: answers[0].status === 200 ? 1 : 0 }
}

/** A body that ends after `at` bytes of it: at every region, with an end of ours, and with a reset. */
async function tornBodies(service) {
  const body = gradients()
  const start = 8 + Number(body.readBigUInt64LE())
  const end = body.length
  const places = [0, 1, 7, 8, 9, start - 1, start, start + 1, start + 5, (start + end) >> 1]
  const all = [...places, end - 4 * COUNT - 1, end - 4 * COUNT, end - 1]
  const answers = []
  await inTurn(20 * all.length, 16, async (i) => {
    const [begun] = post(1, body)
    const some = body.subarray(0, all[i % all.length])
    const isReset = i % 2 === 1
    const answer = await exchange(
      service.port,
      [begun, some],
      isReset ? { leaveAfterMs: 20 } : { halfClose: true, leaveAfterMs: 2000 },
    )
    if (!isReset && answer.problem === undefined) answers.push(answer)
  })
  return { answers, pending: 0 }
}

/** Broken bodies on one connection, each with a right call behind it in the same write. */
async function brokenThenRight(service) {
  const right = gradients()
  const broken = [
    Buffer.alloc(0),
    Buffer.from('{}'),
    Buffer.concat([right, Buffer.from('x')]),
    Buffer.from(right).fill(0xff, 0, 8),
    Buffer.from(right).fill(0x00, 8, 40),
    Buffer.from(right).fill(0xff, right.length - 4 * COUNT),
    Buffer.from(right).fill(0xff, right.length >> 1, (right.length >> 1) + 4),
  ]
  const answers = []
  let [behind, sequence] = [0, 0]
  for (const wrong of broken) {
    const number = ++sequence
    const both = await onOneConnection(service.port, [...post(number, wrong), ...post(number, right)], 2)
    answers.push(...both)
    if (both[1] !== undefined) behind++
    else answers.push(await exchange(service.port, post(number, right))) // the connection was ended with the refusal
  }
  return { answers, pending: broken.length, said: `${behind} of ${broken.length} answered on the connection` }
}

/** Answers to requests that are written together; fewer where the service ends the connection. */
function onOneConnection(port, parts, count) {
  const socket = openConnection(port)
  const answers = []
  return new Promise((resolve) => {
    const done = () => {
      socket.resetAndDestroy()
      resolve(answers)
    }
    const reader = new AnswerReader((answer) => {
      answers.push({ ...answer, code: codeOf(answer) })
      if (answers.length === count) done()
    })
    socket.on('data', (chunk) => reader.feed(chunk))
    socket.on('end', done).on('close', done)
    for (const part of parts) socket.write(part)
  })
}

/** Bodies that come a byte at a time, while a trainer goes on. */
async function slowSenders(service) {
  const body = gradients()
  const answers = []
  let left = 0
  const sockets = Array.from({ length: 200 }, (_, i) => {
    const socket = openConnection(service.port)
    left++
    const reader = new AnswerReader((answer) => answers.push({ ...answer, code: codeOf(answer) }))
    socket.on('data', (chunk) => reader.feed(chunk))
    socket.once('close', () => left--)
    socket.on('end', () => socket.destroy())
    socket.write(post(1, body, { 'X-Writer': `slow-${i}` })[0])
    return socket
  })
  await Promise.all(sockets.map(connected))
  let sent = 0
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(body.subarray(sent, sent + 1))
    sent++
  }, 100)
  const until = performance.now() + 1000 * DEADLINE_SECONDS + 12_000
  let sequence = 0
  while (performance.now() < until && (left > 0 || sequence < 10)) {
    const answer = await exchange(service.port, post(sequence + 1, body))
    answers.push(answer)
    if (answer.status === 200) sequence++
  }
  clearInterval(timer)
  const unended = left
  for (const socket of sockets) socket.resetAndDestroy()
  return {
    answers,
    pending: sequence,
    left: unended,
    said: `${sequence} calls beside them, ${unended} still open`,
  }
}

/** Two processes under one name, each number from both, with another body each. */
async function sameWriter(service) {
  const answers = []
  for (let sequence = 1; sequence <= 40; sequence++) {
    const both = [1, 2].map((seed) => exchange(service.port, post(sequence, gradients(seed))))
    answers.push(...(await Promise.all(both)))
  }
  const won = answers.filter(({ status }) => status === 200).length
  return { answers, pending: 40, won, said: `${won} of ${answers.length} had their effect` }
}

/** Checkpoints that break off, are longer than they say, or say what they are not; then the right one. */
async function tornCheckpoints(service) {
  const answers = [await exchange(service.port, post(1, gradients()))]
  const asked = { path: CHECKPOINT, headers: headers(), keep: 2 ** 24, method: 'GET' }
  const { body: file } = await service.call(asked)
  const put = (body, length = body.length) => [head('PUT', CHECKPOINT, headers(), length), body]
  await inTurn(120, 24, async (i) => {
    const at = Math.floor((file.length * (i % 12)) / 12) + (i % 5)
    const isReset = i % 3 === 0
    const answer = await exchange(
      service.port,
      put(file.subarray(0, at), file.length),
      isReset ? { leaveAfterMs: 20 } : { halfClose: true, leaveAfterMs: 2000 },
    )
    if (!isReset && answer.problem === undefined) answers.push(answer)
  })
  for (const [from, to] of [
    [0, 8],
    [8, 60],
  ])
    answers.push(await exchange(service.port, put(Buffer.from(file).fill(0xff, from, to))))
  answers.push(await exchange(service.port, put(Buffer.concat([file, Buffer.alloc(9)]))))
  await new Promise((resolve) => setTimeout(resolve, 500)) // memory of those that went is let go
  const right = await exchange(service.port, put(file))
  return { answers: [...answers, right], pending: 1, restored: right.status }
}

export const name = 'learning'
export const about = 'gradients and checkpoints in crumbs, torn, slow, and under another’s number'
export const variants = {
  'two million chunks of a byte': { attack: chunked(1, 8000) },
  'chunks of twelve bytes': { attack: chunked(12, 8000) },
  'torn bodies': { attack: tornBodies },
  'broken bodies before right ones': { attack: brokenThenRight },
  'slow senders': { attack: slowSenders },
  'two senders of one name': { attack: sameWriter },
  'torn checkpoints': { attack: tornCheckpoints },
}
export const env = { ADMIN_KEY: KEY, REQUEST_DEADLINE_SECONDS: String(DEADLINE_SECONDS) }
export const limitMs = 60_000

export async function send(service, { attack }) {
  const card = { vocab_size: ROWS, embedding_dim: C, max_position_embeddings: 16_384 }
  await begin(service.port, MODEL, { type: 'sgd', lr: 0.1 }, card)
  const seen = await attack(service)
  return { ...seen, after: await state(service) }
}

export function expect({ answers, pending, after, left, restored, won }, must) {
  must.answeredOrRefused(answers, ['200', '201', '4xx'])
  must.that(after.pending === pending, `${pending} calls must have had their effect: ${after.pending}`)
  must.that(!left, `every slow sender must be ended in time: ${left} were not`)
  must.that(restored === undefined || restored === 200, `a whole checkpoint must be taken: ${restored}`)
  must.that(won === undefined || won === pending, `one of two must win each time: ${won} of ${pending} did`)
}
