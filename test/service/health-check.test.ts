import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { ownFolder, ownServers } from './own.js'
import { makeCertificate } from './process/listening/certificates.js'
import type { ServerProcess } from './server-process.js'

const CHECK = fileURLToPath(new URL('../../dist/health-check.js', import.meta.url))
const SMALL = { VOCAB_SIZE: '1000', EMBEDDING_DIM: '64', THREADS: '1' }

const folder = ownFolder('health')
const startServer = ownServers()

async function check(env: Readonly<Record<string, string>>): Promise<unknown> {
  const [code] = await once(spawn(process.execPath, [CHECK], { env, stdio: 'ignore' }), 'close')
  return code
}

async function start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = startServer({ ...SMALL, ...env })
  await server.allServe()
  return server
}

test('the container’s health check asks the port, and fails without an answer', async () => {
  const started = await start({})
  const PORT = String(await started.port())
  expect(await check({ PORT })).toBe(0)
  started.kill()
  await started.exited
  expect(await check({ PORT })).toBe(1)
})

test('it asks the address that the service listens on, as empty variables leave it', async () => {
  const started = await start({ HOST: '127.0.0.2', ADMIN_PORT: '0', ADMIN_HOST: '127.0.0.3' })
  const PORT = String(await started.port())
  const ADMIN_PORT = /Operators’ port at http:[^"]*:(\d+)/.exec(started.output.log)?.[1] ?? ''
  expect(await check({ HOST: '127.0.0.2', PORT })).toBe(0)
  expect(await check({ HOST: '127.0.0.2', PORT, ADMIN_PORT, ADMIN_HOST: '127.0.0.3' })).toBe(0)
})

test('with TLS, and clients’ certificates, it asks the operators’ port', async () => {
  const { cert, key } = makeCertificate('one')
  const [TLS_CERT_FILE, TLS_KEY_FILE] = ['cert.pem', 'key.pem'].map((name) => join(folder, name))
  writeFileSync(TLS_CERT_FILE, cert)
  writeFileSync(TLS_KEY_FILE, key)
  const tls = { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE: TLS_CERT_FILE }
  const started = await start({ ...tls, ADMIN_PORT: '0' })
  const PORT = String(await started.port())
  const ADMIN_PORT = /Operators’ port at https:[^"]*:(\d+)/.exec(started.output.log)?.[1] ?? ''
  expect(await check({ ...tls, PORT, ADMIN_PORT })).toBe(0)
  expect(await check({ ...tls, PORT })).toBe(1) // callers’ port wants a certificate
})

test('it asks a Unix socket', async () => {
  const HOST = `unix:${join(folder, 'inlet.sock')}`
  await start({ HOST })
  expect(await check({ HOST })).toBe(0)
})
