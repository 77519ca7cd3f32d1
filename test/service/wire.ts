import type { Socket } from 'node:net'
import { open, parseAnswers, type RawAnswer } from '../raw-http.js'
import { until } from '../until.js'

/** A connection of which all is kept that comes back. */
export interface Wire {
  readonly socket: Socket
  /** Settles when the service has ended the connection. */
  readonly ended: Promise<void>
  write(text: string): void
  /** Waits until so many answers are complete. */
  answers(count: number): Promise<RawAnswer[]>
  /** All received bytes, as text. */
  text(): string
}

export async function wire(port: number): Promise<Wire> {
  const socket = await open(port)
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  // Not by `once` of node:events, which rejects where the connection is reset.
  const ended = new Promise<void>((resolve) => {
    socket.once('end', () => socket.destroy())
    socket.once('close', () => resolve())
  })
  return {
    socket,
    ended,
    write: (text) => void socket.write(text),
    text: () => Buffer.concat(chunks).toString('latin1'),
    async answers(count) {
      let whole: RawAnswer[] = []
      await until(() => {
        try {
          whole = parseAnswers(Buffer.concat(chunks))
        } catch {
          return false // an answer that has begun
        }
        return whole.length >= count && whole.every(isWhole)
      }, `${count} answers`)
      return whole
    },
  }
}

function isWhole({ headers, body }: RawAnswer): boolean {
  return headers['content-length'] === undefined || Number(headers['content-length']) === body.length
}
