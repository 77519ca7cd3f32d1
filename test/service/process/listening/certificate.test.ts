import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { certificateFacts, readCertificate } from '../../../../src/service/process/listening/certificate.js'
import { makeCertificate } from './certificates.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-tls-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

const one = makeCertificate('one')
const two = makeCertificate('two')

function problem(cert: string, key: string, ca?: string): string {
  const files = {
    TLS_CERT_FILE: file('c', cert),
    TLS_KEY_FILE: file('k', key),
    TLS_CLIENT_CA_FILE: ca === undefined ? undefined : file('a', ca),
  }
  try {
    readCertificate(files)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('taken')
}

test('a pair is read, and told by its names and its end', () => {
  const files = {
    TLS_CERT_FILE: file('c', one.cert),
    TLS_KEY_FILE: file('k', one.key),
    TLS_CLIENT_CA_FILE: undefined,
  }
  const first = readCertificate(files)
  if (first === undefined) throw new Error('not read')
  expect(certificateFacts(first)).toMatchObject({
    names: 'DNS:localhost, IP Address:127.0.0.1',
    clientCertificates: false,
  })
  const again = readCertificate(files)
  expect(again).toEqual(first)
})

test('without files there is no TLS', () => {
  expect(
    readCertificate({ TLS_CERT_FILE: undefined, TLS_KEY_FILE: undefined, TLS_CLIENT_CA_FILE: undefined }),
  ).toBeUndefined()
})

test('an error names the file that cannot be used, and shows nothing of the key', () => {
  const rule = 'TLS_KEY_FILE must hold the key of TLS_CERT_FILE in PEM, without a password.'
  expect(problem(one.cert, two.key)).toBe(`${rule} ERR_OSSL_X509_KEY_VALUES_MISMATCH`)
  expect(problem(one.cert, 'k3y')).toContain(rule)
  expect(problem(one.key, one.key)).toContain('TLS_CERT_FILE must hold certificates in PEM.')
  const half = two.cert.slice(0, two.cert.length / 2)
  for (const ca of ['none', `${one.cert}${half}`, `${one.cert}${half}\n-----END CERTIFICATE-----\n`]) {
    expect(problem(one.cert, one.key, ca)).toContain('TLS_CLIENT_CA_FILE must hold certificates in PEM.')
  }
  expect(problem(`${one.cert}${half}`, one.key)).toContain('TLS_CERT_FILE must hold certificates in PEM.')
  for (const message of [problem(one.key, one.key), problem(one.cert, two.key)]) {
    for (const line of [...one.key.split('\n'), ...two.key.split('\n')].filter((each) => each.length > 20)) {
      expect(message.includes(line)).toBe(false)
    }
  }
  const missing = { TLS_CERT_FILE: join(folder, 'nope'), TLS_KEY_FILE: folder, TLS_CLIENT_CA_FILE: undefined }
  expect(() => readCertificate(missing)).toThrow('TLS_CERT_FILE must be a file that can be read. ENOENT')
})
