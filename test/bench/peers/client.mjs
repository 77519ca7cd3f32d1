// For machines without wrk: node client.mjs URL BODY_FILE HEADERS SECONDS CONNECTIONS → { requests, microseconds, bytes, errors }
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

const [url, bodyFile, headers, seconds, connections] = process.argv.slice(2)
const body = readFileSync(bodyFile)
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const options = { method: 'POST', agent, headers: { ...JSON.parse(headers), 'content-length': body.length } }
const total = { requests: 0, microseconds: 0, bytes: 0, errors: 0 }

const started = performance.now()
const end = started + Number(seconds) * 1000
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (performance.now() < end) await once()
  }),
)
total.microseconds = (performance.now() - started) * 1000
agent.destroy()
console.log(JSON.stringify(total))

function once() {
  return new Promise((resolve, reject) => {
    request(url, options, (response) => {
      if (response.statusCode !== 200) total.errors++
      response.on('data', (chunk) => {
        total.bytes += chunk.length
      })
      response.on('end', () => {
        total.requests++
        resolve()
      })
    })
      .on('error', reject)
      .end(body)
  })
}
