import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP's JSON has it. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly OtlpAttribute[]
  readonly status: { readonly code?: number }
}

interface OtlpAttribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

export interface Span extends Omit<OtlpSpan, 'attributes'> {
  readonly start: bigint
  readonly end: bigint
  readonly facts: Readonly<Record<string, unknown>>
  /** Attributes of the service that sent it. */
  readonly resource: Readonly<Record<string, unknown>>
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** A stand-in for a collector: takes traces by OTLP over HTTP and keeps them. */
export class Collector {
  /** Traces that came as JSON. */
  readonly spans: Span[] = []
  readonly bodies: Buffer[] = []
  readonly heads: IncomingHttpHeaders[] = []
  /** The status of its answers. */
  status = 200
  /** Its answer to JSON. */
  answer = '{}'
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (request.url === '/v1/traces') this.#take(body, request.headers)
    const type = request.headers['content-type'] ?? ''
    response.writeHead(this.status, { 'content-type': type }).end(type.endsWith('json') ? this.answer : '')
  })

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The spans of a trace, in the order of their beginnings. */
  trace(traceId: string): Span[] {
    const own = this.spans.filter((span) => span.traceId === traceId)
    return own.sort((a, b) => Number(a.start - b.start) || Number(b.end - a.end))
  }

  /** The spans that were made for requests, each with those below it. */
  requests(): { root: Span; phases: Span[] }[] {
    const roots = this.spans.filter(({ kind }) => kind === 2)
    return roots.map((root) => ({ root, phases: this.trace(root.traceId).filter((span) => span !== root) }))
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #take(body: Buffer, head: IncomingHttpHeaders): void {
    this.bodies.push(body)
    this.heads.push(head)
    if (head['content-type'] !== 'application/json') return
    for (const { resource, scopeSpans } of (JSON.parse(body.toString()) as OtlpRequest).resourceSpans) {
      for (const { spans } of scopeSpans) {
        for (const { attributes, ...span } of spans) {
          this.spans.push({
            ...span,
            start: BigInt(span.startTimeUnixNano),
            end: BigInt(span.endTimeUnixNano),
            facts: factsOf(attributes),
            resource: factsOf(resource.attributes),
          })
        }
      }
    }
  }
}

function factsOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
