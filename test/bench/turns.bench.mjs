import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { atMost } from './harness/floors.mjs'
import { peer } from './harness/python.mjs'
import { median } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'
import { REQUESTS } from './turns/requests.mjs'

const TAKEN_BYTES = 16_000_000
const MOST_MS = SMOKE ? 200 : 4000

/** How long the event loop's turns are while the dearest requests are worked on. */
export async function bench({ rounds, say }) {
  const rows = []
  const floors = []
  const service = await startService({
    env: { THREADS: '1', ENCODING: 'cl100k_base' },
    args: ['--import', peer('watch-turns.mjs')],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    for (const [name, each] of Object.entries(REQUESTS)) {
      if (!SMOKE) await measure(service, each) // compiles what it needs
      const results = []
      for (let round = 0; round < rounds; round++) results.push(await measure(service, each))
      const of = (what) => median(results.map((result) => result[what]))
      rows.push([name, each.count ?? 1, figure(of('p99')), figure(of('longest'))])
      say(rows.at(-1).join(' | '))
      floors.push(atMost(`longest turn, ${name}`, of('longest'), 10, 'ms'))
    }
  } finally {
    await service.stop()
  }
  return {
    title: 'Turns of the event loop under the dearest requests, milliseconds',
    notes: ['Medians of rounds. Each answer is left after 16 MB. One thread; clients share the machine.'],
    head: ['what is asked for', 'at once', 'turns p99', 'longest turn'],
    rows,
    floors,
  }
}

async function measure({ url, child }, { request, count = 1 }) {
  await turns(child)
  const port = Number(new URL(url).port)
  await Promise.all(Array.from({ length: count }, (_, i) => take(port, request(i))))
  return turns(child)
}

/** Takes the beginning of an answer, and leaves. */
async function take(port, request) {
  const socket = connect(port, '127.0.0.1')
  let bytes = 0
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes >= TAKEN_BYTES) socket.destroy()
  })
  socket.write(request)
  await Promise.race([once(socket, 'close'), setTimeout(MOST_MS)])
  socket.destroy()
}

async function turns(child) {
  child.send('turns')
  const [figures] = await once(child, 'message')
  return figures
}
