import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Opens a connection to the service. */
export async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {}) // a reset shows as what did not come
  await once(socket, 'connect')
  return socket
}

/** Sends bytes as they are and reads until the service ends the connection. `halfClose` ends our side first. */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  { halfClose = false } = {},
): Promise<RawAnswer[]> {
  const socket = await open(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(bytes)
  if (halfClose) socket.end()
  await new Promise<void>((resolve) => {
    socket.once('end', () => resolve())
    socket.once('close', () => resolve())
  })
  socket.destroy()
  return parseAnswers(Buffer.concat(chunks))
}

/** Answers one after the other, each as long as its `Content-Length` or its chunks say. */
export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) throw new Error(`no end of header in ${JSON.stringify(rest.toString('latin1'))}`)
    const [statusLine, ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const after = rest.subarray(headEnd + 4)
    const status = Number(statusLine.split(' ')[1])
    if (status >= 100 && status < 200) {
      rest = after
      continue
    }
    const { body, used } =
      headers['transfer-encoding'] === 'chunked' ? readChunks(after) : readLength(after, headers)
    answers.push({ status, headers, body })
    rest = after.subarray(used)
  }
  return answers
}

function readLength(bytes: Buffer, headers: Record<string, string>): { body: Buffer; used: number } {
  const used = Number(headers['content-length'] ?? bytes.length)
  return { body: bytes.subarray(0, used), used }
}

function readChunks(bytes: Buffer): { body: Buffer; used: number } {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (size === 0) return { body: Buffer.concat(parts), used: start + 2 }
    if (!(size > 0) || start + size > bytes.length) throw new Error('a chunk was cut off')
    parts.push(bytes.subarray(start, start + size))
    at = start + size + 2
  }
}

/** A POST of a JSON body, head and all. */
export function jsonRequest(path: string, body: string, headers: readonly string[] = []): string {
  return [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
}
