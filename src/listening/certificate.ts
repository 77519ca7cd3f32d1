import { randomBytes, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'

/** A certificate, its key, and whose clients' certificates are taken. Can be posted to threads. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Only clients with a certificate of these authorities are let in. */
  readonly ca?: string | undefined
  /**
   * From it each listener makes the key of its session tickets, so that all threads take up a session that another one
   * began. New with each certificate: no session outlives its own.
   */
  readonly ticketSecret: Uint8Array
}

/** The variables that name the files. */
export interface CertificateFiles {
  readonly TLS_CERT_FILE?: string | undefined
  readonly TLS_KEY_FILE?: string | undefined
  readonly TLS_CLIENT_CA_FILE?: string | undefined
}

/** The files cannot be used; the message shows nothing of the key. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError'
}

const SECRET_BYTES = 32

/**
 * Reads the files, and checks that certificate and key belong together.
 *
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
  check('TLS_KEY_FILE must hold the key of TLS_CERT_FILE in PEM, without a password', () =>
    createSecureContext({ cert, key, ca }),
  )
  return { cert, key, ca, ticketSecret: randomBytes(SECRET_BYTES) }
}

/** A certificate's fields for the log. */
export function certificateFacts({ cert, ca }: Certificate): object {
  const { subjectAltName, validTo } = new X509Certificate(cert)
  return { names: subjectAltName, validTo, clientCertificates: ca !== undefined }
}

export function isSame(one: Certificate, other: Certificate): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CertificateError(`${name} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

/** Checks every certificate of a file. Of authorities, OpenSSL silently leaves out those that it cannot read. */
function checkCertificates(name: string, pem: string): void {
  const blocks = pem.split(/(?=-----BEGIN )/).filter((block) => /^-----BEGIN .*CERTIFICATE-----/.test(block))
  check(`${name} must hold certificates in PEM`, () => {
    for (const block of blocks.length === 0 ? [pem] : blocks) new X509Certificate(block)
  })
}

function check(rule: string, act: () => void): void {
  try {
    act()
  } catch (error) {
    throw new CertificateError(`${rule}. ${(error as NodeJS.ErrnoException).code ?? 'It does not.'}`)
  }
}
