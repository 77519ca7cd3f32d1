import { connect } from 'node:net'

const HOST = '127.0.0.1'
/** A connection that ended keeps its port for a minute: addresses in turn have ports enough for all of them. */
const ADDRESSES = 200
let opened = 0

/**
 * A connection to the service: a socket whose errors show as what did not come. Neither side's end ends the other.
 *
 * @returns net.Socket, not yet connected: what is written waits
 */
export function openConnection(port, options = {}) {
  opened = (opened + 1) % ADDRESSES
  const localAddress = `127.0.1.${opened + 1}`
  const socket = connect({ port, host: HOST, localAddress, allowHalfOpen: true, noDelay: true, ...options })
  socket.on('error', (error) => {
    socket.problem = error.code ?? error.message
  })
  return socket
}

/** Resolves when the connection stands (true), or could not be made (false). */
export function connected(socket) {
  if (socket.readyState === 'open') return Promise.resolve(true)
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('close', () => resolve(false))
  })
}

/** A request's head: `head('GET', '/metrics')`. A number of bytes as `length` becomes `Content-Length`. */
export function head(method, path, headers = {}, length) {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost']
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`)
  if (length !== undefined) lines.push(`Content-Length: ${length}`)
  return `${lines.join('\r\n')}\r\n\r\n`
}
