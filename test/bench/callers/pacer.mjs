// node pacer.mjs URL KEY PER_SECOND SECONDS BODY: sends the body at a steady pace, whether answers come or not, and
// prints how long they took and which status they had.
import { Agent, request } from 'node:http'

const [url, key, perSecond, seconds, body] = process.argv.slice(2)
const headers = {
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  accept: 'application/octet-stream',
}
const options = { method: 'POST', headers, agent: new Agent({ keepAlive: true, maxSockets: 64 }) }
const count = Math.round(perSecond * seconds)
const milliseconds = []
const statuses = {}
let ended = 0

const began = performance.now()
for (let i = 0; i < count; i++) {
  const wait = began + (1000 * i) / perSecond - performance.now()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  send()
}

function send() {
  const sent = performance.now()
  const end = (status) => {
    milliseconds.push(performance.now() - sent)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (++ended === count) report()
  }
  request(url, options, (answer) => answer.resume().on('end', () => end(answer.statusCode)))
    .on('error', () => end('broken'))
    .end(body)
}

function report() {
  milliseconds.sort((a, b) => a - b)
  const at = (share) => milliseconds[Math.floor(share * (count - 1))]
  process.stdout.write(JSON.stringify({ p50: at(0.5), p99: at(0.99), statuses }))
  process.exit(0)
}
