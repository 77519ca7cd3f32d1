import { createServer } from 'node:http'

/**
 * A model server on loopback that reads each request to its end and answers it. It does not keep this process alive.
 *
 * @returns its address, `http://127.0.0.1:41234`
 */
export async function startUpstream() {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.setHeader('content-type', 'application/json').end('{"choices":[]}'))
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref()
  return `http://127.0.0.1:${server.address().port}`
}
