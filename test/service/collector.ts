import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface OtlpAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

/** A span as OTLP's JSON has it, its attributes as an object. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 2: server. */
  readonly kind: number
  readonly facts: Readonly<Record<string, unknown>>
  /** Attributes of the service that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

/** A stand-in for a collector: takes traces by OTLP over HTTP and keeps them. */
export class Collector {
  readonly spans: Span[] = []
  readonly bodies: string[] = []
  readonly heads: IncomingHttpHeaders[] = []
  /** The status of its answers. */
  status = 200
  readonly #server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    if (request.url === '/v1/traces') this.#take(body, request.headers)
    response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}')
  })

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(body: string, head: IncomingHttpHeaders): void {
    this.bodies.push(body)
    this.heads.push(head)
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      for (const { attributes, ...span } of scopeSpans.flatMap(({ spans }: { spans: object[] }) => spans)) {
        this.spans.push({ ...span, facts: factsOf(attributes), resource: factsOf(resource.attributes) })
      }
    }
  }
}

function factsOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
