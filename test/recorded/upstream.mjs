import { createServer } from 'node:http'

/**
 * A model server on loopback that answers with what it was sent, or as the header `x-kind` asks: an error, a stream, an
 * answer that breaks off. It does not keep this process alive.
 */
export async function startUpstream() {
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (chunk) => parts.push(chunk))
    request.on('error', () => {})
    request.on('end', () => {
      if (request.url.includes('/slow')) return
      answer(request, Buffer.concat(parts), response)
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${server.address().port}`
}

function answer(request, body, response) {
  const { host, date, 'x-request-id': id, ...headers } = request.headers
  const seen = { method: request.method, url: request.url, headers, body: body.toString('latin1') }
  const json = { 'content-type': 'application/json', 'x-upstream': 'yes' }
  const kinds = {
    error: () =>
      response.writeHead(429, { ...json, 'retry-after': '3' }).end('{"error":{"message":"slow down"}}'),
    stream: () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let i = 0; i < 5; i++) response.write(`data: {"n":${i}}\n\n`)
      response.end('data: [DONE]\n\n')
    },
    large: () => response.writeHead(200, json).end(`{"x":"${'y'.repeat(500_000)}"}`),
    break: () => request.socket.destroy(),
    'break-late': () => {
      response.writeHead(200, { ...json, 'content-length': 1000 }).write('{"x":')
      setTimeout(() => request.socket.destroy(), 30)
    },
    headers: () =>
      response
        .writeHead(200, {
          ...json,
          'set-cookie': 'a=b',
          'x-request-id': 'theirs',
          'server-timing': 'x;dur=1',
          connection: 'close',
          'keep-alive': 'timeout=1',
          server: 'them',
        })
        .end('{}'),
    redirect: () => response.writeHead(302, { location: '/elsewhere' }).end(),
    empty: () => response.writeHead(200, json).end(),
    'no-content': () => response.writeHead(204).end(),
  }
  const kind = kinds[request.headers['x-kind']]
  if (kind !== undefined) return kind()
  return response.writeHead(200, json).end(JSON.stringify(seen))
}
