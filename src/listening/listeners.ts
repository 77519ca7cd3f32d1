import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { markOperators } from '../http/connections/operators.js'
import { MAX_OPERATORS } from '../load/descriptors.js'
import { addressOf, operatorsHost } from './address.js'
import type { Certificate } from './certificate.js'
import { TlsListener } from './tls-listener.js'
import { removeStale, SOCKET_MODE } from './unix-socket.js'

/** The variables of the addresses that the service listens on. */
export interface ListenerVariables {
  readonly HOST: string
  readonly PORT: number
  readonly ADMIN_HOST?: string | undefined
  /** Absent: operators have no port of their own. */
  readonly ADMIN_PORT?: number | undefined
}

const ALL_MODES = 0o777

/**
 * A thread's listener for callers' connections: the application's own server, or where there is TLS one before it.
 *
 * @param maxConnections beyond so many, handshakes and clients that are refused among them, Node closes what comes
 */
export function callersListener(
  app: FastifyInstance,
  certificate: Certificate | undefined,
  maxConnections: number,
) {
  const tls = certificate && new TlsListener(app.server, { name: 'callers', certificate })
  const listener: Server = tls?.listener ?? app.server
  listener.maxConnections = maxConnections
  goOnAfterErrors(listener, app)
  return { tls, listener }
}

/** Without a listener Node ends the process where a connection cannot be accepted, as for want of a descriptor. */
function goOnAfterErrors(listener: Server, { log }: FastifyInstance): void {
  listener.once('listening', () => {
    listener.on('error', (error: NodeJS.ErrnoException) => {
      log.error({ reason: error.code ?? error.message }, 'a connection cannot be accepted')
    })
  })
}

/** The listeners of the process's first thread: callers', and operators' where they have a port. */
export class Listeners {
  /** The one that all threads accept from. */
  readonly callers: Server
  readonly #tls: TlsListener | undefined
  readonly #operators: TlsListener | undefined

  constructor(
    private readonly app: FastifyInstance,
    private readonly variables: ListenerVariables,
    private readonly certificate: Certificate | undefined,
    maxConnections: number,
  ) {
    const { tls, listener } = callersListener(app, certificate, maxConnections)
    this.#tls = tls
    this.callers = listener
    if (variables.ADMIN_PORT === undefined) return
    this.#operators = new TlsListener(app.server, {
      name: 'operators',
      // A probe of an orchestrator has no certificate of its own.
      certificate: certificate && { ...certificate, ca: undefined },
      mark: markOperators,
    })
    this.#operators.listener.maxConnections = MAX_OPERATORS
    goOnAfterErrors(this.#operators.listener, app)
  }

  /** Opens all. @returns the URL that shows `/docs`; undefined behind a Unix socket. @throws Error that names the variable */
  async open(): Promise<string | undefined> {
    const { HOST, PORT, ADMIN_PORT, ADMIN_HOST } = this.variables
    const url = await this.#openCallers().catch((error: Error) => {
      throw new Error(`HOST ${HOST}, PORT ${PORT} cannot be listened on: ${error.message}`, { cause: error })
    })
    if (this.#operators === undefined) return url.startsWith('/') ? undefined : url
    const host = operatorsHost(HOST, ADMIN_HOST)
    const { listener } = this.#operators
    await listening(listener, () => listener.listen(addressOf(host, ADMIN_PORT ?? 0))).catch(
      (error: Error) => {
        throw new Error(
          `ADMIN_HOST ${host}, ADMIN_PORT ${ADMIN_PORT} cannot be listened on: ${error.message}`,
          {
            cause: error,
          },
        )
      },
    )
    const operatorsUrl = this.#urlOf(listener)
    this.app.log.info(`Operators’ port at ${operatorsUrl}`)
    return operatorsUrl
  }

  /** The address that callers reach, for the warning where there are no keys; a socket's file has none. */
  get callersAddress(): string | undefined {
    const address = this.callers.address()
    return typeof address === 'string' ? undefined : address?.address
  }

  exchange(certificate: Certificate): void {
    this.#tls?.exchange(certificate)
    this.#operators?.exchange(certificate)
  }

  close(): Promise<void> {
    return this.app.connections.closeListener([
      this.callers,
      ...(this.#operators === undefined ? [] : [this.#operators.listener]),
    ])
  }

  async #openCallers(): Promise<string> {
    const { app, callers } = this
    const address = addressOf(this.variables.HOST, this.variables.PORT)
    if ('host' in address && callers === app.server) return app.listen(address)
    await app.ready()
    if ('path' in address) {
      await removeStale(address.path)
      await listening(callers, () => listenAt(callers, address.path))
    } else await listening(callers, () => callers.listen(address))
    const url = this.#urlOf(callers)
    app.log.info(`Server listening at ${url}`)
    return url
  }

  #urlOf(listener: Server): string {
    const address = listener.address() as AddressInfo | string
    if (typeof address === 'string') return address
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
    return `${this.certificate === undefined ? 'http' : 'https'}://${host}:${address.port}`
  }
}

/** The file appears with its mode, never with more. */
function listenAt(server: Server, path: string): void {
  const mask = process.umask(ALL_MODES & ~SOCKET_MODE)
  try {
    server.listen(path)
  } finally {
    process.umask(mask)
  }
}

async function listening(server: Server, listen: () => void): Promise<void> {
  listen()
  await once(server, 'listening')
}
