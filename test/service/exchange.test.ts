import { renameSync, writeFileSync } from 'node:fs'
import { Agent, type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { expect, test } from 'vitest'
import { until } from '../until.js'
import { ownFolder, ownServers } from './own.js'
import { makeCertificate } from './process/listening/certificates.js'
import { QUICK_WATCH } from './server-process.js'

const folder = ownFolder('exchange')
const startServer = ownServers()

/** Puts a file in the place of another at once. */
function put(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(`${path}.next`, text)
  renameSync(`${path}.next`, path)
  return path
}

const PAIRS = ['one', 'two', 'three'].map((name) => makeCertificate(name))

function putPair({ cert, key }: { cert: string; key: string }) {
  return { TLS_CERT_FILE: put('cert.pem', cert), TLS_KEY_FILE: put('key.pem', key) }
}

const KEPT = { name: 'kept', key: 'kept-s3cret' }
const putCallers = (...callers: object[]) =>
  put('callers.json', JSON.stringify({ callers: [KEPT, ...callers] }))

/** Between two requests of a client: the test and the service share the machine. */
const PAUSE_MS = 5

interface Answer {
  readonly status: number
  /** Name in the certificate that the connection was made with: no session is taken up again. */
  readonly certificate: string
}

function embed(port: number, key: string, options: RequestOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const ca = PAIRS.map(({ cert }) => cert)
    const path = '/v1/input-embeddings'
    const call = request(
      { host: '127.0.0.1', port, method: 'POST', path, headers, ca, ...options },
      (answer) => {
        const socket = answer.socket as TLSSocket
        const certificate = String(socket.getPeerCertificate().subject.CN)
        answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, certificate }))
        answer.on('error', reject)
      },
    )
    call.on('error', reject)
    call.end('{"input_ids":[1,2,3,4,5,6,7,8],"context_length":2}')
  })
}

test('certificates and keys are exchanged under load, and no request fails', async () => {
  const small = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '2' }
  const API_KEYS_FILE = putCallers({ name: 'guest', key: 'guest-0' })
  const started = startServer({ ...small, ...putPair(PAIRS[0]), API_KEYS_FILE }, QUICK_WATCH)
  await started.allServe()
  const port = await started.port()
  const said = (message: string) => started.output.log.split(message).length - 1

  const kept = new Agent({ keepAlive: true, maxSockets: 4, maxCachedSessions: 0 })
  const resuming = new Agent({ keepAlive: false })
  let isOver = false
  const failed: unknown[] = []
  const answered: Answer[] = []
  const client = async (options: RequestOptions) => {
    while (!isOver) {
      await embed(port, KEPT.key, options).then(
        (answer) => (answer.status === 200 ? answered.push(answer) : failed.push(answer)),
        (error) => failed.push(error),
      )
      await pause(PAUSE_MS)
    }
  }
  const clients = [
    ...Array.from({ length: 4 }, () => client({ agent: kept })),
    ...Array.from({ length: 2 }, () => client({ agent: false })),
    ...Array.from({ length: 2 }, () => client({ agent: resuming })),
  ]
  for (const [i, pair] of PAIRS.entries()) {
    if (i === 0) continue
    putPair(pair)
    putCallers({ name: 'guest', key: `guest-${i}` })
    await until(() => said('the certificate has changed') >= i && said('the keys have changed') >= i)
    const before = answered.length
    await until(() => answered.length > before + 60)
    const fresh = await Promise.all(
      Array.from({ length: 8 }, () => embed(port, `guest-${i}`, { agent: false })),
    )
    for (const answer of fresh) expect(answer).toEqual({ status: 200, certificate: pair.name })
    expect((await embed(port, `guest-${i - 1}`, { agent: false })).status).toBe(401)
  }
  isOver = true
  await Promise.all(clients)
  kept.destroy()
  expect(failed).toEqual([])
  expect(new Set(answered.map(({ certificate }) => certificate))).toEqual(new Set(['one', 'two', 'three']))
  expect(started.output.log).not.toContain('PRIVATE KEY')
  expect(started.output.log).not.toContain('s3cret')

  // A certificate whose key is not there yet may have been seen before.
  const untaken = said('the TLS files cannot be taken')
  put('key.pem', PAIRS[0].key)
  await until(() => said('the TLS files cannot be taken') > untaken)
  expect(await embed(port, KEPT.key, { agent: false })).toEqual({ status: 200, certificate: 'three' })
})
