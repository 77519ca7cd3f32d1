import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../../src/models/variables.js'
import { readConfig } from '../../../../src/service/features.js'
import type { Config } from '../../../../src/service/process/config.js'
import { type TestService, testService } from '../../../helper.js'

const KEYS = { ci: 'c1-s3cret/with+signs=', laptop: 'hunter2hunter2', desk: 'file:key:with:colons' }

let folder: string
let service: TestService
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-keys-'))
  service = await testService({
    API_KEYS: `ci:${KEYS.ci}, laptop:${KEYS.laptop}`,
    API_KEYS_FILE: fileOf(`# comment\n\n  desk:${KEYS.desk}\r\n`),
    CORS_ORIGINS: 'https://page.example',
  })
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

function fileOf(text: string): string {
  const path = join(folder, `${Math.random()}.txt`)
  writeFileSync(path, text)
  return path
}

function get(url: string, authorization?: string, method: 'GET' | 'POST' = 'GET') {
  return service.app.inject({ method, url, headers: authorization === undefined ? {} : { authorization } })
}

describe('where keys are on', () => {
  test.each(Object.entries(KEYS))('the key of %s opens', async (name, key) => {
    expect((await get('/v1/models', `Bearer ${key}`)).statusCode).toBe(200)
    expect((await get('/v1/models', `bearer  ${key}`)).statusCode).toBe(200)
    expect(service.log.lines.at(-1)).toMatchObject({ caller: name })
  })

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    KEYS.ci,
    `Basic ${KEYS.ci}`,
    'Bearer wrong-key',
    `Bearer ${KEYS.ci}x`,
    `Bearer ${KEYS.ci.slice(0, -1)}`,
    `Bearer ${KEYS.ci.toUpperCase()}`,
    `Bearer ci:${KEYS.ci}`,
    `Bearer ${KEYS.ci} ${KEYS.laptop}`,
  ])('anything else is 401: %s', async (authorization) => {
    const answer = await get('/v1/models', authorization)
    expect(answer.statusCode).toBe(401)
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(answer.json().error).toMatchObject({
      type: 'authentication_error',
      code: 'unauthorized',
      param: 'authorization',
    })
  })

  test('every route but the explorer’s files, /health/* and /v2/health/* asks for one', async () => {
    const metrics = await get('/metrics', `Bearer ${KEYS.ci}`)
    const declared = metrics.body.matchAll(/^inlet_http_requests_total{method="(GET|POST)",route="([^"]+)"/gm)
    // Routes for admins answer 403 if there is no admin key.
    const forAdmins = /\/(tables|load|unload)$/
    const routes = [...declared].filter(
      ([, , route]) => !/^(\/v2)?\/health\/|^\/$|^\/explorer\//.test(route) && !forAdmins.test(route),
    )
    expect(routes.length).toBeGreaterThan(6)
    for (const [, method, route] of routes) {
      const url = route.replace(':model', 'default').replace(':version', '1')
      expect((await get(url, undefined, method as 'GET' | 'POST')).statusCode, url).toBe(401)
    }
    for (const url of ['/health/live', '/health/ready', '/v2/health/live', '/v2/health/ready', '/']) {
      expect((await get(url)).statusCode, url).toBe(200)
    }
  })

  test('a preflight needs none', async () => {
    const answer = await service.app.inject({
      method: 'OPTIONS',
      url: '/v1/input-embeddings',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'POST' },
    })
    expect(answer.statusCode).toBe(204)
  })
})

test('if no variable names a key, none is asked for', async () => {
  const open = await testService()
  expect((await open.app.inject('/v1/models')).statusCode).toBe(200)
  await open.close()
})

describe('a configuration that cannot be stops the start', () => {
  function problem(env: Record<string, string>): string {
    let config: Config
    try {
      config = readConfig(env)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return (error as Error).message
    }
    throw new Error(`taken: ${JSON.stringify(config)}`)
  }
  const RULE = 'API_KEYS must be name:key pairs with commas between them, each name once.'
  const FILE_RULE = 'API_KEYS_FILE must be a file of name:key lines, or of callers as JSON, each name once.'

  test.each([
    ['s3cret', `${RULE} Entry 1 has no colon.`],
    ['ci:s3cret,s3cret', `${RULE} Entry 2 has no colon.`],
    ['ci:s3cret,', `${RULE} Entry 2 has no colon.`],
    ['ci:s3cret,ci:s3cret2', `${RULE} The name ci stands twice.`],
    ['ci:s3cret,desk:s3cret', `${RULE} ci and desk have the same key.`],
    ['ci:', `${RULE} Entry 1 has a key that is empty or not visible ASCII.`],
    ['ci:s3 cret', `${RULE} Entry 1 has a key that is empty or not visible ASCII.`],
    ['ci:s3crét', `${RULE} Entry 1 has a key that is empty or not visible ASCII.`],
    [':s3cret', `${RULE} Entry 1 has a name that is not 1 to 64 letters, digits, "_", "." or "-".`],
    ['s3cret !:x', `${RULE} Entry 1 has a name that is not 1 to 64 letters, digits, "_", "." or "-".`],
  ])('API_KEYS, number %#, without showing it', (given, message) => {
    expect(problem({ API_KEYS: given })).toBe(message)
    expect(message).not.toContain('s3c')
  })

  test('API_KEYS_FILE', () => {
    expect(problem({ API_KEYS_FILE: join(folder, 's3cret') })).toBe(`${FILE_RULE} It cannot be read: ENOENT.`)
    expect(problem({ API_KEYS_FILE: folder })).toBe(`${FILE_RULE} It cannot be read: EISDIR.`)
    expect(problem({ API_KEYS_FILE: fileOf('# none\n\n') })).toBe(`${FILE_RULE} There is no key.`)
    expect(problem({ API_KEYS_FILE: fileOf('# one\nci:a\ns3cret\n') })).toBe(
      `${FILE_RULE} Line 3 has no colon.`,
    )
  })

  test('both together', () => {
    const API_KEYS_FILE = fileOf('ci:other')
    expect(problem({ API_KEYS: 'ci:s3cret', API_KEYS_FILE })).toBe(
      'API_KEYS_FILE must not repeat what API_KEYS has. The name ci stands twice.',
    )
    expect(problem({ API_KEYS: 'laptop:other', API_KEYS_FILE })).toContain('laptop and ci have the same key.')
  })
})
