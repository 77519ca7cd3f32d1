import { watchFiles } from '../watch-files.js'
import {
  type Certificate,
  CertificateError,
  type CertificateFiles,
  isSame,
  readCertificate,
} from './certificate.js'

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
  const paths = [files.TLS_CERT_FILE, files.TLS_KEY_FILE, files.TLS_CLIENT_CA_FILE]
  watchFiles(
    paths.filter((path) => path !== undefined),
    look,
  )
}
