import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as the upstream got it, whole. */
export interface Received {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** A model server's stand-in: it notes what comes and answers as it is told. */
export class StandIn {
  readonly received: Received[] = []
  readonly connections: Socket[] = []
  /** Takes the next requests as they come, before their body is read. Default: `answer` after the whole body. */
  handler: Handler | undefined
  /** Answers a whole request. */
  answer: (received: Received, response: ServerResponse) => void = (_, response) => {
    response.setHeader('content-type', 'application/json').end('{"choices":[]}')
  }

  private constructor(readonly server: Server) {}

  static async start(): Promise<StandIn> {
    const server = createServer({ keepAliveTimeout: 60_000 })
    const standIn = new StandIn(server)
    server.on('connection', (socket) => standIn.connections.push(socket))
    server.on('request', (request, response) => standIn.#take(request, response))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return standIn
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    if (this.handler !== undefined) {
      this.handler(request, response)
      return
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const received = { url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
      this.received.push(received)
      this.answer(received, response)
    })
  }
}
