import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, type SecureVersion, connect as tlsConnect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Certificate } from '../../../../src/service/process/listening/certificate.js'
import { closeListeners, openListeners } from '../../../../src/service/process/listening/listeners.js'
import '../../../built.js'
import { type TestService, testService } from '../../../helper.js'
import { exchange, open } from '../../../raw-http.js'
import { makeCertificate } from './certificates.js'

let folder: string
let service: TestService | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-listen-'))
})
afterEach(async () => {
  if (service !== undefined) closeListeners(service.app, 1)
  await service?.close()
  service = undefined
  rmSync(folder, { recursive: true })
})

const portOf = (server: Server) => (server.address() as AddressInfo).port

/** The service, listening as `env` says. @returns the ports of callers and of operators */
async function listening(env: Record<string, string>, certificate?: Certificate) {
  service = await testService({ HOST: '127.0.0.1', PORT: '0', ...env }, { certificate })
  const docs = await openListeners(service.app, service.config)
  const { server } = service.app
  const callers = portOf(server)
  const said = service.log.text.match(/Operators’ port at https?:\/\/127\.0\.0\.\d:(\d+)/)?.[1]
  return { callers, operators: Number(said ?? 0), docs }
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly allow?: string | undefined
}

function ask(options: RequestOptions & { tls?: boolean }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const make = options.tls ? httpsRequest : httpRequest
    const call = make({ host: '127.0.0.1', agent: false, ...options }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part) => (body += part))
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body, allow: answer.headers.allow }))
    })
    call.on('error', reject)
    call.end()
  })
}

const ADMIN = { ADMIN_PORT: '0', ADMIN_KEY: 'adm1n-s3cret' }
const AS_ADMIN = { authorization: `Bearer ${ADMIN.ADMIN_KEY}` }

describe('ADMIN_PORT', () => {
  test('routes of operators are there alone', async () => {
    const { callers, operators } = await listening(ADMIN)
    const headers = { ...AS_ADMIN, 'content-type': 'application/json' }
    for (const [method, path] of [
      ...[
        ['GET', '/metrics'],
        ['GET', '/docs'],
        ['GET', '/docs/start.js'],
      ],
      ...[
        ['GET', '/openapi.json'],
        ['GET', '/openapi.yaml'],
      ],
      ...[
        ['POST', '/v1/models/default/load'],
        ['GET', '/v1/models/default/tables'],
      ],
    ] as const) {
      const hidden = await ask({ port: callers, method, path, headers })
      expect([hidden.status, hidden.body]).toEqual([
        404,
        expect.stringContaining(`There is no ${method} ${path}.`),
      ])
      expect((await ask({ port: operators, method, path, headers })).status, path).toBeLessThan(300)
    }
  })

  test('to callers a path of operators is not there, whatever the method', async () => {
    const { callers, operators } = await listening(ADMIN)
    for (const path of ['/metrics', '/docs', '/v1/models/default/tables']) {
      expect((await ask({ port: callers, method: 'PATCH', path })).status).toBe(404)
      expect((await ask({ port: operators, method: 'PATCH', path })).status).toBe(405)
    }
    const put = { method: 'PUT', path: '/v1/models/new', headers: AS_ADMIN }
    expect((await ask({ port: callers, ...put })).status).toBe(404)
  })

  test('to callers neither errors nor `Allow` name what is there alone', async () => {
    const { callers, operators } = await listening(ADMIN)
    const told = async (port: number) => [
      JSON.parse((await ask({ port, path: '/nowhere' })).body).error.message,
      (await ask({ port, path: '/v1/models/default', method: 'PATCH' })).allow,
    ]
    expect(await told(callers)).toEqual([
      'There is no GET /nowhere. See / for those that there are.',
      'GET, HEAD',
    ])
    const [message, allow] = await told(operators)
    expect(message).toBe('There is no GET /nowhere. See /docs or /openapi.json.')
    expect(allow?.split(', ')).toEqual(expect.arrayContaining(['GET', 'PUT', 'DELETE']))
  })

  test('probes, models and the list of routes are on both', async () => {
    const { callers, operators } = await listening(ADMIN)
    for (const path of ['/health/live', '/health/ready', '/v2/health/ready', '/v1/models', '/v2', '/'])
      for (const port of [callers, operators]) expect((await ask({ port, path })).status, path).toBe(200)
  })

  test('the list of routes has those that are there', async () => {
    const { callers, operators } = await listening(ADMIN)
    const routes = async (port: number) => {
      const { body } = await ask({ port, path: '/', headers: { accept: 'application/json' } })
      return JSON.parse(body).routes.map(
        (each: { method: string; path: string }) => `${each.method} ${each.path}`,
      )
    }
    expect(await routes(operators)).toEqual(
      expect.arrayContaining(['GET /metrics', 'PUT /v1/models/{model}']),
    )
    const shown = await routes(callers)
    expect(shown).toEqual(expect.arrayContaining(['POST /v1/tokenize', 'GET /v1/models/{model}']))
    // Keys that may train a model are callers'.
    const others = shown.filter((each: string) => !/\/(optimizer|checkpoint)$/.test(each))
    expect(
      others.filter((each: string) => /metrics|docs|openapi|^PUT|^DELETE .*models|tables|\/load$/.test(each)),
    ).toEqual([])
  })

  test('keys are asked for on both', async () => {
    const { operators } = await listening({ ...ADMIN, API_KEYS: 'ci:key' })
    expect((await ask({ port: operators, path: '/metrics' })).status).toBe(401)
    const headers = { authorization: 'Bearer key' }
    expect((await ask({ port: operators, path: '/metrics', headers })).status).toBe(200)
  })

  test('operators can connect if callers have taken every connection', async () => {
    const { callers, operators } = await listening({ ...ADMIN, MAX_CONNECTIONS: '2' })
    const held = await Promise.all([open(callers), open(callers)])
    expect((await ask({ port: callers, path: '/v1/models' })).status).toBe(503)
    expect((await ask({ port: operators, path: '/health/ready' })).status).toBe(200)
    for (const socket of held) socket.destroy()
  })

  test('without it all is at PORT', async () => {
    const { callers, docs } = await listening({})
    expect((await ask({ port: callers, path: '/metrics' })).status).toBe(200)
    expect(docs).toBe(`http://127.0.0.1:${callers}`)
  })

  test('requests there are bounded as everywhere', async () => {
    const { operators } = await listening(ADMIN)
    const [answer] = await exchange(operators, 'nonsense\r\n\r\n')
    expect(answer.status).toBe(400)
  })
})

describe('TLS', () => {
  const pair = (name: string) => {
    const { cert, key } = makeCertificate(name)
    return { cert, key }
  }

  test('callers and operators get the certificate; plain HTTP gets nothing', async () => {
    const one = pair('one')
    const { callers, operators, docs } = await listening({ ADMIN_PORT: '0' }, one)
    for (const port of [callers, operators]) {
      expect((await ask({ tls: true, port, path: '/v1/models', ca: one.cert })).status).toBe(200)
      await expect(ask({ port, path: '/v1/models' })).rejects.toThrow()
    }
    expect(docs).toBe(`https://127.0.0.1:${operators}`)
    expect((await ask({ tls: true, port: callers, path: '/metrics', ca: one.cert })).status).toBe(404)
  })

  test('clients need a certificate where an authority for them is named; probes do not', async () => {
    const authority = makeCertificate('authority')
    const client = makeCertificate('client', authority)
    const stranger = makeCertificate('stranger')
    const one = { ...pair('one'), ca: authority.cert }
    const { callers, operators } = await listening({ ADMIN_PORT: '0' }, one)
    const call = { tls: true, path: '/v1/models', ca: one.cert }
    const known = { cert: client.cert, key: client.key }
    expect((await ask({ ...call, port: callers, ...known })).status).toBe(200)
    await expect(ask({ ...call, port: callers })).rejects.toThrow()
    await expect(ask({ ...call, port: callers, cert: stranger.cert, key: stranger.key })).rejects.toThrow()
    expect((await ask({ ...call, port: operators })).status).toBe(200)
  })

  describe.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])('a session of %s', (version) => {
    const authority = makeCertificate('authority')
    const client = makeCertificate('client', authority)
    const known = { cert: client.cert, key: client.key }

    /** A connection's first answer, whether it took up `session`, and the last ticket that it got. */
    function visit(port: number, { cert: ca }: Certificate, options: ConnectionOptions) {
      return new Promise<{ status: string; isReused: boolean; session?: Buffer }>((resolve) => {
        const versions = { minVersion: version, maxVersion: version }
        let session: Buffer | undefined
        let text = ''
        let isReused = false
        const socket = tlsConnect({ port, host: '127.0.0.1', ca, ...versions, ...options }, () => {
          isReused = socket.isSessionReused()
          socket.write('GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
        })
        socket.on('session', (ticket) => (session = ticket))
        socket.on('data', (chunk) => (text += chunk)).on('error', () => {})
        socket.on('close', () => resolve({ status: text.slice(9, 12), isReused, session }))
      })
    }

    test('is taken up nowhere: each connection shows its certificate', async () => {
      const one = { ...pair('one'), ca: authority.cert }
      const { callers, operators } = await listening({ ADMIN_PORT: '0' }, one)
      const sessions = [await visit(callers, one, known), await visit(operators, one, {})]
      expect(sessions.map(({ status }) => status)).toEqual(['200', '200'])
      for (const { session } of sessions) {
        expect(await visit(callers, one, { session })).toMatchObject({ status: '', isReused: false })
        expect(await visit(callers, one, { ...known, session })).toMatchObject({
          status: '200',
          isReused: false,
        })
        expect(await visit(operators, one, { session })).toMatchObject({ status: '200', isReused: false })
      }
    })
  })

  test('the bound on connections is answered in TLS', async () => {
    const one = pair('one')
    const { callers } = await listening({ MAX_CONNECTIONS: '1' }, one)
    const held = tlsConnect({ port: callers, host: '127.0.0.1', ca: one.cert })
    await new Promise((resolve) => held.once('secureConnect', resolve))
    expect((await ask({ tls: true, port: callers, path: '/', ca: one.cert })).status).toBe(503)
    held.destroy()
  })
})

test('a connection that cannot be accepted is a line in the log, and the next ones are served', async () => {
  const { callers, operators } = await listening(ADMIN)
  const error = Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' })
  service?.app.server.emit('error', error) // as Node does
  expect(service?.log.lines.at(-1)).toMatchObject({
    msg: 'a connection cannot be accepted',
    reason: 'EMFILE',
  })
  for (const port of [callers, operators])
    expect((await ask({ port, path: '/health/live' })).status).toBe(200)
})

describe('the container’s health check', () => {
  const CHECK = fileURLToPath(new URL('../../../../dist/health-check.js', import.meta.url))

  async function check(env: Readonly<Record<string, string | number>>): Promise<unknown> {
    const [code] = await once(
      spawn(process.execPath, [CHECK], { env: env as NodeJS.ProcessEnv, stdio: 'ignore' }),
      'close',
    )
    return code
  }

  test('asks the port, and fails without an answer', async () => {
    const { callers: PORT } = await listening({})
    expect(await check({ PORT })).toBe(0)
    closeListeners(service!.app, 1)
    await service!.close()
    service = undefined
    expect(await check({ PORT })).toBe(1)
  })

  test('asks the address that the service listens on, as empty variables leave it', async () => {
    const hosts = { HOST: '127.0.0.2', ADMIN_HOST: '127.0.0.3' }
    const { callers: PORT, operators: ADMIN_PORT } = await listening({ ...hosts, ADMIN_PORT: '0' })
    expect(await check({ HOST: hosts.HOST, PORT })).toBe(0)
    expect(await check({ ...hosts, PORT, ADMIN_PORT })).toBe(0)
  })

  test('with TLS, and clients’ certificates, asks the operators’ port', async () => {
    const one = makeCertificate('one')
    const { callers: PORT, operators: ADMIN_PORT } = await listening(
      { ADMIN_PORT: '0' },
      { ...one, ca: one.cert },
    )
    const TLS_CERT_FILE = join(folder, 'cert.pem')
    expect(await check({ TLS_CERT_FILE, PORT, ADMIN_PORT })).toBe(0)
    expect(await check({ TLS_CERT_FILE, PORT })).toBe(1) // callers’ port wants a certificate
  })
})
