import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** A certificate and its key, in PEM. */
export interface Pair {
  readonly cert: string
  readonly key: string
}

interface Issuer extends Pair {
  readonly name: string
  readonly privateKey: KeyObject
}

/**
 * Makes a certificate for localhost, valid for a day, so that no test needs a program or a file for it.
 *
 * @param issuer who signs it. Default: its own key
 * Source: RFC 5280, 4.1.
 */
export function makeCertificate(name: string, issuer?: Issuer): Issuer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
  const isAuthority = sequence(
    oid(0x55, 0x1d, 0x13),
    element(0x04, sequence(element(0x01, Buffer.from([0xff])))),
  )
  const names = sequence(element(0x82, Buffer.from('localhost')), element(0x87, Buffer.from([127, 0, 0, 1])))
  const day = 86_400_000
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? name),
    sequence(time(Date.now() - day), time(Date.now() + day)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(isAuthority, sequence(oid(0x55, 0x1d, 0x11), element(0x04, names)))),
  )
  const signature = sign('sha256', body, issuer?.privateKey ?? privateKey)
  const der = sequence(body, ecdsaWithSha256, element(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    name,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    privateKey,
  }
}

function nameOf(common: string): Buffer {
  return sequence(element(0x31, sequence(oid(0x55, 0x04, 0x03), element(0x0c, Buffer.from(common)))))
}

/** `261122093000Z`. */
function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replace(/\D/g, '')
  return element(0x17, Buffer.from(`${digits.slice(2, 14)}Z`))
}

function oid(...bytes: number[]): Buffer {
  return element(0x06, Buffer.from(bytes))
}

function sequence(...parts: Uint8Array[]): Buffer {
  return element(0x30, Buffer.concat(parts))
}

/** An element of DER: its tag, its length, its bytes. */
function element(tag: number, bytes: Uint8Array): Buffer {
  const { length } = bytes
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), bytes])
}
