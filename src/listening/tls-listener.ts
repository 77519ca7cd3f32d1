import { hkdfSync } from 'node:crypto'
import type { Server as HttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls'
import type { Certificate } from './certificate.js'

/** How long a client may take for the handshake, in milliseconds. */
export const HANDSHAKE_MS = 10_000

const TICKET_KEY_BYTES = 48

export interface TlsListenerOptions {
  /** Whom the listener is for. A TLS session of one listener is not taken up by the other: their rules differ. */
  readonly name: 'callers' | 'operators'
  readonly certificate?: Certificate | undefined
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

  readonly #name: TlsListenerOptions['name']

  constructor(server: HttpServer, { name, certificate, mark }: TlsListenerOptions) {
    this.#name = name
    const take = (socket: Socket) => {
      mark?.(socket)
      server.emit('connection', socket)
    }
    if (certificate === undefined) this.listener = createServer({ allowHalfOpen: true, noDelay: true }, take)
    else {
      const needsClient = certificate.ca !== undefined
      const takeKnown = (socket: TLSSocket) => {
        // OpenSSL asks a client that takes up a session for no certificate, and Node takes that for a good one.
        if (needsClient && socket.getPeerX509Certificate() === undefined) socket.destroy()
        else take(socket)
      }
      const options = {
        ...{ handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'], noDelay: true },
        ...context(name, certificate),
      }
      this.listener = this.#tls = createTlsServer(options, takeKnown)
      this.#tls.on('tlsClientError', (_, socket) => socket.destroy())
    }
    // Node starts the clock that ends late heads and bodies when its own server begins to listen.
    this.listener.once('listening', () => {
      if (!server.listening) server.emit('listening')
    })
  }

  /** Connections that begin from now on get this certificate. Whether clients need one stays as it was. */
  exchange(certificate: Certificate): void {
    this.#tls?.setSecureContext(context(this.#name, certificate))
  }
}

/** Tickets are sealed by a key of this listener's own, which all its threads derive from the certificate's secret. */
function context(name: TlsListenerOptions['name'], { cert, key, ca, ticketSecret }: Certificate) {
  const clients = ca === undefined ? {} : { ca, requestCert: true, rejectUnauthorized: true }
  const ticketKeys = Buffer.from(hkdfSync('sha256', ticketSecret, '', name, TICKET_KEY_BYTES))
  const sessions = { ticketKeys, sessionIdContext: `inlet ${name}` }
  return { cert, key, ...clients, ...sessions, minVersion: 'TLSv1.2' as const }
}
