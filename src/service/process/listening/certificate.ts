import { constants, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config.js'

/** A certificate, its key, and whose clients' certificates are taken. Can be posted to threads. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Only clients with a certificate of these authorities may connect. */
  readonly ca?: string | undefined
}

type CertificateFiles = Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'TLS_CLIENT_CA_FILE'>

/** The files cannot be used; the message shows nothing of the key. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}

/**
 * Reads the files, and checks that certificate and key belong together.
 * @returns undefined where no file is named: the service speaks plain HTTP
 * @throws CertificateError
 */
export function readCertificate(files: CertificateFiles): Certificate | undefined {
  const { TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE } = files
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) return undefined
  const cert = read('TLS_CERT_FILE', TLS_CERT_FILE)
  const key = read('TLS_KEY_FILE', TLS_KEY_FILE)
  const ca = TLS_CLIENT_CA_FILE && read('TLS_CLIENT_CA_FILE', TLS_CLIENT_CA_FILE)
  checkCertificates('TLS_CERT_FILE', cert)
  if (ca !== undefined) checkCertificates('TLS_CLIENT_CA_FILE', ca)
  tried('TLS_KEY_FILE must hold the key of TLS_CERT_FILE in PEM, without a password', () =>
    createSecureContext({ cert, key, ca }),
  )
  return { cert, key, ca }
}

/** How long a client may take for the handshake, in milliseconds. */
export const HANDSHAKE_MS = 10_000

/**
 * A server's options. Without session tickets: a session that began where no client's certificate is needed
 * opens nothing elsewhere, and none outlives its certificate.
 * @param asksClients whether clients need a certificate where an authority for them is named
 */
export function tlsOptions({ cert, key, ca }: Certificate, asksClients: boolean) {
  const clients = asksClients && ca !== undefined && { ca, requestCert: true, rejectUnauthorized: true }
  return {
    ...{ cert, key, ...clients, minVersion: 'TLSv1.2' as const, secureOptions: constants.SSL_OP_NO_TICKET },
    ...{ handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] },
  }
}

export function certificateFacts({ cert, ca }: Certificate): object {
  const { subjectAltName, validTo } = new X509Certificate(cert)
  return { names: subjectAltName, validTo, clientCertificates: ca !== undefined }
}

function read(name: string, path: string): string {
  return tried(`${name} must be a file that can be read`, () => readFileSync(path, 'utf8'))
}

/** Checks every certificate of a file. Of authorities, OpenSSL silently leaves out those that it cannot read. */
function checkCertificates(name: string, pem: string): void {
  const blocks = pem.split(/(?=-----BEGIN )/).filter((block) => /^-----BEGIN .*CERTIFICATE-----/.test(block))
  tried(`${name} must hold certificates in PEM`, () => {
    for (const block of blocks.length === 0 ? [pem] : blocks) new X509Certificate(block)
  })
}

function tried<Result>(rule: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw new CertificateError(`${rule}. ${(error as NodeJS.ErrnoException).code ?? 'It does not.'}`)
  }
}
