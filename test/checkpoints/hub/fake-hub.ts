import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const COMMIT = '0123456789abcdef0123456789abcdef01234567'

/** A request that the fake hub was sent. */
export interface Seen {
  readonly server: 'hub' | 'files'
  readonly file: string | undefined
  readonly range: string | undefined
  readonly authorization: string | undefined
  readonly acceptEncoding: string | undefined
}

/** Answers in the fake hub's place where it returns true. */
export type Intercept = (seen: Seen, response: ServerResponse) => boolean

/**
 * A Hub on loopback with one repository. Files of weights are on a separate server, to which the Hub redirects, as the
 * real one does.
 */
export class FakeHub {
  readonly seen: Seen[] = []
  /** Bytes of files that were sent, by file. */
  readonly sent = new Map<string, number>()
  commit = COMMIT
  intercept: Intercept = () => false
  /** Bytes of files that may be sent, before every connection is cut. */
  budget = Number.POSITIVE_INFINITY

  private constructor(
    readonly files: Map<string, Buffer>,
    private readonly hub: Server,
    private readonly fileServer: Server,
  ) {
    hub.on('request', (request, response) => this.#answer('hub', request, response))
    fileServer.on('request', (request, response) => this.#answer('files', request, response))
  }

  static async start(files: Readonly<Record<string, string | Buffer>>): Promise<FakeHub> {
    const servers = [createServer(), createServer()]
    for (const server of servers) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
    const held = new Map(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]))
    return new FakeHub(held, servers[0], servers[1])
  }

  get url(): string {
    return urlOf(this.hub)
  }

  get filesUrl(): string {
    return urlOf(this.fileServer)
  }

  /** All bytes of files that were sent. */
  get sentBytes(): number {
    return [...this.sent.values()].reduce((sum, bytes) => sum + bytes, 0)
  }

  async stop(): Promise<void> {
    for (const server of [this.hub, this.fileServer]) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  }

  #answer(server: 'hub' | 'files', request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '', 'http://hub')
    const file = /^(?:\/[^/]+){2}\/resolve\/[^/]+\/(.+)$/.exec(pathname)?.[1]
    const { range, authorization, 'accept-encoding': acceptEncoding } = request.headers
    const seen = { server, file: file && decodeURIComponent(file), range, authorization, acceptEncoding }
    this.seen.push(seen)
    if (this.intercept(seen, response)) return
    if (pathname.startsWith('/api/models/')) {
      const siblings = [...this.files.keys()].map((rfilename) => ({ rfilename }))
      response.end(JSON.stringify({ sha: this.commit, siblings }))
      return
    }
    const content = this.files.get(seen.file ?? '')
    if (content === undefined) {
      response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end('Entry not found')
      return
    }
    const etag = createHash('sha256').update(content).digest('hex')
    if (server === 'hub' && seen.file?.endsWith('.safetensors')) {
      const linked = { 'x-linked-etag': `"${etag}"`, 'x-linked-size': content.length }
      const location = `${this.filesUrl}${pathname}?signature=abc`
      response.writeHead(302, { ...linked, location, 'x-repo-commit': this.commit }).end()
      return
    }
    const repoCommit = server === 'hub' ? { 'x-repo-commit': this.commit } : {}
    this.#send(request, response, seen.file ?? '', content, { etag: `"${etag}"`, ...repoCommit })
  }

  /** Sends the range asked for. */
  #send(
    { headers }: IncomingMessage,
    response: ServerResponse,
    file: string,
    content: Buffer,
    given: { etag: string },
  ): void {
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    let body = content
    if (first === undefined) {
      response.writeHead(200, { ...given, 'content-length': content.length })
    } else {
      const end = Math.min(Number(last || content.length - 1), content.length - 1)
      body = content.subarray(Number(first), end + 1)
      const range = `bytes ${first}-${end}/${content.length}`
      response.writeHead(206, { ...given, 'content-length': body.length, 'content-range': range })
    }
    const allowed = body.subarray(0, this.budget)
    this.budget -= allowed.length
    this.sent.set(file, (this.sent.get(file) ?? 0) + allowed.length)
    if (allowed.length === body.length) response.end(body)
    else cut(response, allowed)
  }
}

/** Sends bytes, and then closes the connection within the answer. */
export function cut(response: ServerResponse, bytes: Buffer): void {
  response.flushHeaders()
  response.write(bytes, () => response.destroy())
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
