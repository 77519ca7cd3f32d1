import { once } from 'node:events'
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.js'
import { addressOf } from './address.js'

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

/**
 * Whether each thread listens by itself, and the system spreads connections over them (SO_REUSEPORT). Elsewhere
 * the threads share the first one's socket by the number of its descriptor.
 */
const LISTENS_ITSELF =
  process.platform === 'linux' && (major > 23 || (major === 23 ? minor >= 1 : major === 22 && minor >= 12))

/** What a further thread listens with, after the first. */
export type Listener = ListenOptions & { readonly reusePort?: boolean; readonly fd?: number }

/** What the other threads listen with, to get connections of this server's address. */
export function listenerOf(server: Server): Listener {
  const { address, port } = server.address() as AddressInfo
  if (LISTENS_ITSELF) return { host: address, port, reusePort: true }
  // Node tells it in no other way.
  return { fd: (server as Server & { readonly _handle: { readonly fd: number } })._handle.fd }
}

/**
 * Opens the callers' address, and the operators' where they have one.
 * @returns the URL that shows `/docs`
 * @throws Error that names the variable
 */
export async function openListeners(
  app: FastifyInstance,
  { HOST, PORT, ADMIN_HOST, ADMIN_PORT = 0 }: Pick<Config, 'HOST' | 'PORT' | 'ADMIN_HOST' | 'ADMIN_PORT'>,
): Promise<string> {
  const url = await opened(app, HOST, PORT, 'HOST', 'PORT')
  app.log.info(`Server listening at ${url}`)
  if (app.operators === undefined) return url
  const operatorsUrl = await opened(app.operators, ADMIN_HOST ?? HOST, ADMIN_PORT, 'ADMIN_HOST', 'ADMIN_PORT')
  app.log.info(`Operators’ port at ${operatorsUrl}`)
  return operatorsUrl
}

/** The address that callers reach, for the warning where there are no keys. */
export function callersAddress({ server }: FastifyInstance): string {
  return (server.address() as AddressInfo).address
}

/**
 * Takes no connections any more.
 * @param threads of the process. A descriptor that several listen at stays open to the process's end, and connections
 *   that still begin are closed: a thread that closed it would leave the others one that the next file or connection gets.
 */
export function closeListeners({ server, operators }: FastifyInstance, threads: number): void {
  if (threads === 1 || LISTENS_ITSELF) server.close()
  else server.on('connection', (socket) => socket.destroy())
  operators?.server.close()
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
  const reusePort = LISTENS_ITSELF && portName === 'PORT'
  try {
    await app.ready()
    if (reusePort && port > 0) await checkFree(address)
    await listenAt(server, { ...address, reusePort })
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const hint =
      code === 'EADDRINUSE' ? `. Take another one: ${portName}=${(port % 65_535) + 1} npm start` : ''
    throw new Error(`${hostName} ${host}, ${portName} ${port} cannot be listened on: ${message}${hint}`, {
      cause: error,
    })
  }
  goOnAfterErrors(app)
  return urlOf(server)
}

/** Listens for a moment without sharing, which fails where another process listens with SO_REUSEPORT. */
async function checkFree(address: ListenOptions): Promise<void> {
  const server = createServer()
  await listenAt(server, address)
  server.close()
  await once(server, 'close')
}

export async function listenAt(server: Server, where: Listener): Promise<void> {
  server.listen(where)
  await once(server, 'listening')
}

function urlOf(server: Server): string {
  const address = server.address() as AddressInfo
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `${server instanceof TlsServer ? 'https' : 'http'}://${host}:${address.port}`
}
