import { once } from 'node:events'
import { lstatSync, rmSync, statSync } from 'node:fs'
import { type AddressInfo, createConnection, type Server } from 'node:net'
import { dirname } from 'node:path'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.js'
import { MAX_OPERATORS } from '../descriptors.js'
import { addressOf, operatorsHost } from './address.js'
import { type Certificate, tlsOptions } from './certificate.js'

/** The mode of a socket's file: its owner and group may connect. The folder's mode may narrow this. */
const SOCKET_MODE = 0o660
const ALL_MODES = 0o777

/**
 * Opens the callers' address, and the operators' where they have one.
 * @param maxConnections of callers in this thread: Node closes what comes beyond
 * @returns the URL that shows `/docs`; undefined behind a Unix socket
 * @throws Error that names the variable
 */
export async function openListeners(
  app: FastifyInstance,
  { HOST, PORT, ADMIN_HOST, ADMIN_PORT = 0 }: Pick<Config, 'HOST' | 'PORT' | 'ADMIN_HOST' | 'ADMIN_PORT'>,
  maxConnections: number,
): Promise<string | undefined> {
  app.server.maxConnections = maxConnections
  const url = await opened(app, HOST, PORT, 'HOST', 'PORT')
  app.log.info(`Server listening at ${url}`)
  if (app.operators === undefined) return url.startsWith('/') ? undefined : url
  app.operators.server.maxConnections = MAX_OPERATORS
  const host = operatorsHost(HOST, ADMIN_HOST)
  const operatorsUrl = await opened(app.operators, host, ADMIN_PORT, 'ADMIN_HOST', 'ADMIN_PORT')
  app.log.info(`Operators’ port at ${operatorsUrl}`)
  return operatorsUrl
}

/** The address that callers reach, for the warning where there are no keys; a socket's file has none. */
export function callersAddress({ server }: FastifyInstance): string | undefined {
  const address = server.address()
  return typeof address === 'string' ? undefined : address?.address
}

export function closeListeners({ server, operators }: FastifyInstance): void {
  server.close()
  operators?.server.close()
}

/** Connections that begin from now on get this certificate. Whether clients need one stays as it was. */
export function exchangeCertificate({ server, operators }: FastifyInstance, certificate: Certificate): void {
  ;(server as unknown as TlsServer).setSecureContext(tlsOptions(certificate, true))
  ;(operators?.server as TlsServer | undefined)?.setSecureContext(tlsOptions(certificate, false))
}

/** Without a listener Node ends the process where a connection cannot be accepted, as for want of a descriptor. */
export function goOnAfterErrors({ server, log }: FastifyInstance): void {
  server.on('error', (error: NodeJS.ErrnoException) => {
    log.error({ reason: error.code ?? error.message }, 'a connection cannot be accepted')
  })
}

async function opened(
  app: FastifyInstance,
  host: string,
  port: number,
  ...[hostName, portName]: readonly [string, string]
): Promise<string> {
  const { server } = app
  const address = addressOf(host, port)
  try {
    await app.ready()
    if ('path' in address) await removeStale(address.path)
    const isListening = once(server, 'listening')
    if ('path' in address) listenAt(server, address.path)
    else server.listen(address)
    await isListening
  } catch (error) {
    const { message } = error as Error
    throw new Error(`${hostName} ${host}, ${portName} ${port} cannot be listened on: ${message}`, {
      cause: error,
    })
  }
  goOnAfterErrors(app)
  return urlOf(server)
}

function urlOf(server: Server): string {
  const address = server.address() as AddressInfo | string
  if (typeof address === 'string') return address
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `${server instanceof TlsServer ? 'https' : 'http'}://${host}:${address.port}`
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

/**
 * Removes the file of a socket without a listener: a killed process leaves its own behind.
 * @throws Error where the file is no socket, or a process listens on it; where its folder is not there, which
 *   the system would report as a missing permission
 */
async function removeStale(path: string): Promise<void> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) {
    const folder = dirname(path)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`there is no folder ${folder}`)
    return
  }
  if (!stat.isSocket()) throw new Error('a file is there that is no socket')
  if (await isListened(path)) throw new Error('another process listens on it')
  rmSync(path, { force: true }) // its process may have just removed it
}

function isListened(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code !== 'ECONNREFUSED' && code !== 'ENOENT'),
    )
  })
}
