import { watchFile } from 'node:fs'
import {
  type Certificate,
  CertificateError,
  type CertificateFiles,
  isSame,
  readCertificate,
} from './certificate.js'

/** Polled, as the file of keys is: mounted secrets change by links that are swapped. */
const LOOK_MS = 2000

/** Called when the files have changed. */
export interface CertificateNotices {
  changed(certificate: Certificate): void
  /** They cannot be used: the certificate from before stays. */
  broken(reason: string): void
}

/** Reads the files again whenever one of them changes, without keeping the process alive. */
export function watchCertificate(
  files: CertificateFiles,
  first: Certificate,
  notices: CertificateNotices,
): void {
  let known = first
  const look = () => {
    try {
      const next = readCertificate(files)
      if (next === undefined || isSame(next, known)) return
      known = next
      notices.changed(next)
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error
      notices.broken(error.message)
    }
  }
  for (const path of [files.TLS_CERT_FILE, files.TLS_KEY_FILE, files.TLS_CLIENT_CA_FILE]) {
    if (path !== undefined) watchFile(path, { interval: LOOK_MS, persistent: false }, look)
  }
}
