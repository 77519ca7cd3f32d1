import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/models/variables.js'
import { readConfig } from '../../../src/service/features.js'
import { ADMIN_KEY, type ManagedService, managedService } from '../../managed.js'

const USERS = { API_KEYS: 'ci:user-s3cret' }
const ROUTES = [
  ['PUT', '/v1/models/book'],
  ['DELETE', '/v1/models/book'],
  ['GET', '/v1/models/book/tables'],
  ['PUT', '/v1/models/book/tables'],
  ['POST', '/v1/models/book/load'],
  ['POST', '/v1/models/book/unload'],
] as const

let service: ManagedService
afterEach(() => service?.close())

async function call(method: 'GET' | 'PUT' | 'POST' | 'DELETE', url: string, key?: string) {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const answer = await service.app.inject({ method, url, headers })
  const error = answer.statusCode < 400 ? undefined : answer.json().error
  return { status: answer.statusCode, code: error?.code, headers: answer.headers, text: answer.body }
}

test('without an admin key every change of models is refused, whatever key is brought', async () => {
  service = await managedService({ ADMIN_KEY: '', ...USERS })
  for (const [method, url] of ROUTES) {
    for (const key of [undefined, 'wrong', 'user-s3cret', ADMIN_KEY]) {
      const answer = await call(method, url, key)
      expect(answer).toMatchObject({ status: 403, code: 'admin_disabled' })
      expect(answer.text).toContain('start it with `ADMIN_KEY`.')
    }
  }
})

test('with one, a key is asked for, then the admin’s, before anything else of the request is looked at', async () => {
  service = await managedService(USERS)
  for (const [method, url] of ROUTES) {
    for (const key of [undefined, 'wrong', `${ADMIN_KEY}x`]) {
      const answer = await call(method, url, key)
      expect(answer).toMatchObject({ status: 401, code: 'unauthorized' })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
    expect(await call(method, url, 'user-s3cret')).toMatchObject({ status: 403, code: 'forbidden' })
  }
  // The media type comes after the key.
  expect(await call('PUT', '/v1/models/book', ADMIN_KEY)).toMatchObject({ status: 415 })
  expect(await call('GET', '/v1/models/book/tables', ADMIN_KEY)).toMatchObject({ status: 200 })
  // Route and method come before it.
  expect(await call('PUT', '/v1/models/book/load')).toMatchObject({ status: 405 })
})

test('the admin key opens what a user’s key opens, and is named in the log', async () => {
  service = await managedService(USERS)
  expect(await call('GET', '/v1/models')).toMatchObject({ status: 401 })
  expect(await call('GET', '/v1/models', 'user-s3cret')).toMatchObject({ status: 200 })
  expect(await call('GET', '/v1/models', ADMIN_KEY)).toMatchObject({ status: 200 })
  expect(service.lines.at(-1)).toMatchObject({ caller: 'admin' })
  expect(JSON.stringify(service.lines)).not.toContain(ADMIN_KEY)
})

test('without users’ keys everything else stays open', async () => {
  service = await managedService()
  expect(await call('GET', '/v1/models/book')).toMatchObject({ status: 200 })
  expect(await call('GET', '/v1/models/book', 'wrong')).toMatchObject({ status: 200 })
  expect(await call('GET', '/v1/models/book/tables')).toMatchObject({ status: 401 })
})

describe('the variables', () => {
  test('a file holds the key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'inlet-admin-'))
    const path = join(folder, 'key')
    writeFileSync(path, 'from-a-file\n')
    service = await managedService({ ADMIN_KEY: '', ADMIN_KEY_FILE: path })
    rmSync(folder, { recursive: true })
    expect(await call('GET', '/v1/models/book/tables', 'from-a-file')).toMatchObject({ status: 200 })
  })

  test.each([
    [{ ADMIN_KEY: 'sécret' }, 'ADMIN_KEY'],
    [{ ADMIN_KEY: 'two s3cret' }, 'ADMIN_KEY'],
    [{ ADMIN_KEY_FILE: '/nonexistent-s3cret' }, 'ADMIN_KEY_FILE'],
    [{ ADMIN_KEY: 's3cret', ADMIN_KEY_FILE: '/etc/hostname' }, 'ADMIN_KEY_FILE'],
    [{ ADMIN_KEY: 's3cret', API_KEYS: 'ci:s3cret' }, 'ADMIN_KEY'],
    [{ ADMIN_KEY: 's3cret', API_KEYS: 'admin:other-s3cret' }, 'ADMIN_KEY'],
  ])('%j is refused, and no key shown', (env, name) => {
    expect(() => readConfig(env)).toThrow(ConfigError)
    expect(() => readConfig(env)).toThrow(name)
    expect(() => readConfig(env)).not.toThrow(/s3cret|sécret/)
  })
})
