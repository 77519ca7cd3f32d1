import type { Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import type { Certificate } from './certificate.js'

/** How long a client may take for the handshake, in milliseconds. */
export const HANDSHAKE_MS = 10_000

export interface TlsListenerOptions {
  readonly certificate?: Certificate | undefined
  /** Connections of this thread at once, handshakes among them. */
  readonly maxConnections: number
  /** Called with each connection before the application sees it. */
  mark?(socket: Socket): void
}

/**
 * A listener apart from the application's own server: ends TLS where there is a certificate, and hands each connection to
 * that server as plain HTTP. The application's bounds on connections so hold for every way in.
 */
export class TlsListener {
  readonly listener: Server
  readonly #tls: TlsServer | undefined

  constructor(server: HttpServer, { certificate, maxConnections, mark }: TlsListenerOptions) {
    const take = (socket: Socket) => {
      mark?.(socket)
      server.emit('connection', socket)
    }
    if (certificate === undefined) this.listener = createServer({ allowHalfOpen: true, noDelay: true }, take)
    else {
      const options = { ...context(certificate), handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] }
      this.listener = this.#tls = createTlsServer({ ...options, noDelay: true }, take)
      this.#tls.on('tlsClientError', (_, socket) => socket.destroy())
    }
    this.listener.maxConnections = maxConnections
    // Node starts the clock that ends late heads and bodies when its own server begins to listen.
    this.listener.once('listening', () => {
      if (!server.listening) server.emit('listening')
    })
  }

  /** Connections that begin from now on get this certificate. Whether clients need one stays as it was. */
  exchange(certificate: Certificate): void {
    this.#tls?.setSecureContext(context(certificate))
  }
}

function context({ cert, key, ca, ticketKeys }: Certificate) {
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  return { cert, key, ...clients, ticketKeys: Buffer.from(ticketKeys), minVersion: 'TLSv1.2' as const }
}
