import { expect, test } from 'vitest'
import { readConfig } from '../../../src/service/features.js'
import { addressOf, askedAddress } from '../../../src/service/process/listening/address.js'

test('HOST is an address, and no socket’s file', () => {
  expect(addressOf('::1', 80)).toEqual({ host: '::1', port: 80 })
  expect(addressOf('localhost', 80)).toEqual({ host: '127.0.0.1', port: 80 })
  expect(() => readConfig({ HOST: 'unix:/run/a.sock' })).toThrow(
    'HOST must be an address. Given: "unix:/run/a.sock"',
  )
})

test.each([
  [{ ADMIN_PORT: '8000' }, 'ADMIN_PORT must not be PORT. Given: 8000'],
  [{ ADMIN_HOST: '127.0.0.1' }, 'ADMIN_HOST needs ADMIN_PORT.'],
  [{ TLS_CERT_FILE: '/a' }, 'TLS_CERT_FILE needs TLS_KEY_FILE, and TLS_KEY_FILE needs TLS_CERT_FILE.'],
  [{ TLS_KEY_FILE: '/a' }, 'TLS_CERT_FILE needs TLS_KEY_FILE, and TLS_KEY_FILE needs TLS_CERT_FILE.'],
  [{ TLS_CLIENT_CA_FILE: '/a' }, 'TLS_CLIENT_CA_FILE needs TLS_CERT_FILE and TLS_KEY_FILE.'],
])('%j is no way to listen', (env, message) => {
  expect(() => readConfig(env)).toThrow(message)
})

test.each([
  [{}, { host: '127.0.0.1', port: 8000 }],
  [
    { HOST: '', PORT: '', ADMIN_PORT: '', ADMIN_HOST: '' },
    { host: '127.0.0.1', port: 8000 },
  ],
  [
    { HOST: '0.0.0.0', PORT: '80' },
    { host: '127.0.0.1', port: 80 },
  ],
  [{ HOST: '::' }, { host: '::1', port: 8000 }],
  [
    { HOST: '10.0.0.5', ADMIN_PORT: '9000' },
    { host: '10.0.0.5', port: 9000 },
  ],
  [
    { HOST: '10.0.0.5', ADMIN_PORT: '9000', ADMIN_HOST: '::1' },
    { host: '::1', port: 9000 },
  ],
])('of a service with %j the health check asks %j', (env, address) => {
  expect(askedAddress(env)).toEqual(address)
})

test('both ports may be any', () => {
  expect(readConfig({ PORT: '0', ADMIN_PORT: '0' }).ADMIN_PORT).toBe(0)
})
