import { performance } from 'node:perf_hooks'
import { AnswerReader, codeOf } from './harness/answers.mjs'
import { jsonPost, positions } from './harness/bodies.mjs'
import { head, openConnection } from './harness/connections.mjs'

// Thousands of requests on one connection, sent before the first answer is read.

const COUNT = 2000
const tokenize = jsonPost('/v1/tokenize', `{"text":"${'a b '.repeat(5000)}"}`)

export const name = 'pipelining'
export const about = '2,000 requests at once on one connection'
export const variants = {
  rope: positions('rope', { head_dim: 65_536 }, { outputs: 'cos' }),
  metrics: { path: '/metrics' },
  'the page’s script': { path: '/docs/swagger-ui-bundle.js' },
  'no such route': { path: '/nothing' },
  models: { path: '/v1/models' },
  tokenize,
  'metrics, unread': { path: '/metrics', unreadMs: 5000 },
  'the page’s script, unread': { path: '/docs/swagger-ui-bundle.js', unreadMs: 5000 },
}
export const quick = ['metrics, unread']
export const limitMs = 120_000
export const bounds = { rssBytes: 700 * 2 ** 20 }

export async function send(service, request) {
  const { method = request.body === undefined ? 'GET' : 'POST', path, headers, body, unreadMs } = request
  const length = body === undefined ? undefined : Buffer.byteLength(body)
  const one = head(method, path, headers, length) + (body ?? '')
  const answers = []
  const started = performance.now()
  const socket = openConnection(service.port)
  await new Promise((resolve) => {
    const reader = new AnswerReader((answer) => {
      const ms = performance.now() - started
      answers.push({ ...answer, body: undefined, code: codeOf(answer), ms })
      if (answers.length === COUNT) resolve()
    })
    if (unreadMs === undefined) socket.on('data', (chunk) => reader.feed(chunk))
    else setTimeout(resolve, unreadMs)
    socket.on('end', resolve)
    socket.on('close', resolve)
    socket.write(one.repeat(COUNT))
  })
  socket.resetAndDestroy()
  return unreadMs === undefined ? { answers } : { answers: [], said: `unread for ${unreadMs / 1000} s` }
}

export function expect({ answers }, must, { path, unreadMs }) {
  if (unreadMs !== undefined) return
  must.that(answers.length === COUNT, `all ${COUNT} must be answered: ${answers.length} were`)
  must.answeredOrRefused(answers, [path === '/nothing' ? '404 not_found' : '200'])
}
