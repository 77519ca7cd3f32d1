// streaming-upstream.mjs PORT: a model server's stand-in. It reads a completion's body, then streams 50 events, each in a
// turn of its own. The last one says how many bytes it has read.
import { createServer } from 'node:http'

const EVENTS = 50
const EVENT = `data: ${JSON.stringify({ choices: [{ index: 0, text: ' token', finish_reason: null }] })}\n\n`

createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  let bytes = 0
  request.on('data', (chunk) => {
    bytes += chunk.length
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let sent = 0
    const send = () => {
      if (++sent === EVENTS) return response.end(`data: ${bytes}\n\n`)
      response.write(EVENT)
      setImmediate(send)
    }
    send()
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
