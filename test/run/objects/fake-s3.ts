import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The server's fault for a request, instead of an answer. `lost`: what it asks for is done, and not answered. */
export type Fault = '500' | 'SlowDown' | 'cut' | 'reset' | 'silent' | 'lost' | 'AccessDenied'

interface StoredObject {
  readonly bytes: Buffer
  readonly tag: string
  changed: Date
}

/** A request as tests look at it. */
export interface Asked {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

/** S3's protocol on loopback, as far as Inlet speaks it: one bucket in memory, with faults that tests switch on. */
export class FakeS3 {
  readonly objects = new Map<string, StoredObject>()
  readonly asked: Asked[] = []
  /** A fault of a request; undefined: it is answered. */
  fault: (asked: Asked) => Fault | undefined = () => undefined
  readonly #uploads = new Map<string, Map<number, Buffer>>()
  readonly #server: Server
  #port = 0

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error))
    })
  }

  static async start(port = 0): Promise<FakeS3> {
    const fake = new FakeS3()
    await fake.listen(port)
    return fake
  }

  /** Listens again on the port that it had. */
  async listen(port = this.#port): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The environment of a process that uses it. */
  get env(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_S3: this.url,
      AWS_ACCESS_KEY_ID: 'a-key-id',
      AWS_SECRET_ACCESS_KEY: 'a-secret-that-stays-one',
    }
  }

  /** Uploads in parts that have not been ended. */
  get openUploads(): number {
    return this.#uploads.size
  }

  /** How many requests of a method there were for keys with these letters. */
  count(method: string, part = ''): number {
    return this.asked.filter((asked) => asked.method === method && asked.key.includes(part)).length
  }

  put(key: string, bytes: Buffer): void {
    const tag = `"${createHash('md5').update(bytes).digest('hex')}"`
    this.objects.set(key, { bytes, tag, changed: new Date() })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', this.url)
    const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
    const asked: Asked = { method: request.method ?? '', key, query, headers: request.headers }
    this.asked.push(asked)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const fault = this.fault(asked)
    if (fault === 'silent') return undefined
    if (fault === 'reset') return request.socket.destroy()
    if (fault === '500') return refuse(response, 500, 'InternalError')
    if (fault === 'SlowDown') return refuse(response, 503, 'SlowDown')
    if (fault === 'AccessDenied') return refuse(response, 403, 'AccessDenied')
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=a-key-id/'))
      return refuse(response, 403, 'AccessDenied')
    const given = request.headers['x-amz-content-sha256']
    if (given !== 'UNSIGNED-PAYLOAD' && given !== createHash('sha256').update(body).digest('hex'))
      return refuse(response, 400, 'XAmzContentSHA256Mismatch')
    if (asked.method === 'GET' && key === '') return this.#list(query, response)
    if (asked.method === 'GET' || asked.method === 'HEAD') return this.#get(asked, response, fault === 'cut')
    if (fault === 'lost') response.end = () => response.destroy()
    if (asked.method === 'PUT') return this.#put(asked, body, response)
    if (asked.method === 'POST') return this.#post(asked, response)
    if (asked.method === 'DELETE') return this.#delete(asked, response)
    return refuse(response, 405, 'MethodNotAllowed')
  }

  #list(query: URLSearchParams, response: ServerResponse): ServerResponse {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const most = 100 // of 1,000: pages are turned in tests
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const page = keys.slice(0, most)
    const isTruncated = keys.length > most
    const contents = page.map((key) => {
      const { bytes, tag, changed } = this.objects.get(key)!
      const facts = `<Size>${bytes.length}</Size><ETag>${tag.replaceAll('"', '&quot;')}</ETag>`
      return `<Contents><Key>${key}</Key>${facts}<LastModified>${changed.toISOString()}</LastModified></Contents>`
    })
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
    return send(
      response,
      `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`,
    )
  }

  #get({ method, key, headers }: Asked, response: ServerResponse, isCut: boolean): ServerResponse {
    const object = this.objects.get(key)
    if (object === undefined) return refuse(response, 404, 'NoSuchKey')
    const { bytes, tag } = object
    if ((headers['if-match'] ?? tag) !== tag) return refuse(response, 412, 'PreconditionFailed')
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const start = Number(from ?? 0)
    if (from !== undefined && start >= bytes.length) return refuse(response, 416, 'InvalidRange')
    const part = from === undefined ? bytes : bytes.subarray(start, Number(to) + 1)
    response.statusCode = from === undefined ? 200 : 206
    if (from !== undefined)
      response.setHeader('content-range', `bytes ${start}-${start + part.length - 1}/${bytes.length}`)
    response.setHeader('content-length', part.length).setHeader('etag', tag)
    if (method === 'HEAD') return response.end()
    if (!isCut) return response.end(part)
    response.write(part.subarray(0, part.length >> 1), () => response.destroy())
    return response
  }

  #put({ key, query }: Asked, body: Buffer, response: ServerResponse): ServerResponse {
    const upload = query.get('uploadId')
    if (upload !== null) {
      const parts = this.#uploads.get(upload)
      if (parts === undefined) return refuse(response, 404, 'NoSuchUpload')
      parts.set(Number(query.get('partNumber')), body)
      response.setHeader('etag', `"${createHash('md5').update(body).digest('hex')}"`)
      return response.end()
    }
    this.put(key, body)
    return response.end()
  }

  #post({ key, query }: Asked, response: ServerResponse): ServerResponse {
    if (query.has('uploads')) {
      const id = randomBytes(8).toString('hex')
      this.#uploads.set(id, new Map())
      return send(
        response,
        `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      )
    }
    const id = query.get('uploadId') ?? ''
    const parts = this.#uploads.get(id)
    if (parts === undefined) return refuse(response, 404, 'NoSuchUpload')
    this.#uploads.delete(id)
    this.put(key, Buffer.concat([...parts.keys()].sort((a, b) => a - b).map((number) => parts.get(number)!)))
    return send(response, '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>')
  }

  #delete({ key, query }: Asked, response: ServerResponse): ServerResponse {
    const upload = query.get('uploadId')
    if (upload !== null) this.#uploads.delete(upload)
    else this.objects.delete(key)
    response.statusCode = 204
    return response.end()
  }
}

function send(response: ServerResponse, xml: string): ServerResponse {
  return response.setHeader('content-type', 'application/xml').end(`<?xml version="1.0"?>${xml}`)
}

function refuse(response: ServerResponse, status: number, code: string): ServerResponse {
  response.statusCode = status
  return send(response, `<Error><Code>${code}</Code><Message>about a-key-id</Message></Error>`)
}
