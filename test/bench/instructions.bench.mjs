import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { atMost } from './harness/floors.mjs'
import { median } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'
import { FORMATS, firstTokens } from './http/requests.mjs'
import { CountedService, hasValgrind } from './instructions/callgrind.mjs'

const OWN = fileURLToPath(new URL('../../dist/server.js', import.meta.url))
const COUNTED = SMOKE ? 20 : 2000
/** Requests before the counting: V8 has compiled what it will, and has collected often. */
const BEFORE = 60_000
const MOST_OF_BESIDE = 1

/**
 * Instructions of a small request, which a clock cannot tell apart from what else the machine does. BESIDE=FOLDER: of
 * another built checkout too.
 */
export async function bench({ rounds, quick, say }) {
  const servers = { 'this version': OWN }
  if (process.env.BESIDE) servers['the other one'] = `${process.env.BESIDE}/dist/server.js`
  const rows = []
  const medians = {}
  if (!hasValgrind) say('Valgrind is absent: nothing is counted.')
  else {
    for (const [name, server] of Object.entries(servers)) {
      const counts = await counted(server, SMOKE ? 20 : quick ? 5000 : BEFORE, rounds)
      medians[name] = median(counts.map(({ first }) => first))
      rows.push([name, figure(medians[name]), figure(median(counts.map(({ all }) => all)))])
      say(rows.at(-1).join(' | '))
    }
  }
  const { 'this version': own, 'the other one': other } = medians
  return {
    title: 'Text to [8, 4, 256] over HTTP, processor instructions a request',
    notes: [
      `33 tokens of text, raw bytes, one connection, no log lines. Counted by Valgrind in user mode after`,
      `${figure(BEFORE)} requests; the median of ${rounds} rounds of ${figure(COUNTED)}. V8 compiles and collects in threads of its own.`,
    ],
    head: ['', 'the thread that serves', 'all threads'],
    rows,
    floors: other === undefined ? [] : [atMost('beside the other one', own / other, MOST_OF_BESIDE, '×')],
  }
}

/** Instructions a request, round by round. */
async function counted(server, before, rounds) {
  const service = await CountedService.start(server, { THREADS: '1', LOG_LEVEL: 'warn' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const asked = FORMATS.binary.own(service, { text: await firstTokens(33), context_length: 4, stride: 4 })
    const ask = async (count) => {
      for (let i = 0; i < count; i++) await answered(asked, agent)
    }
    await ask(before)
    const counts = []
    for (let round = 0; round < rounds; round++) {
      const { first, all } = await service.count(() => ask(COUNTED))
      counts.push({ first: first / COUNTED, all: all / COUNTED })
    }
    return counts
  } finally {
    agent.destroy()
    await service.stop()
  }
}

function answered({ url, body, headers }, agent) {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': Buffer.byteLength(body) }
    request(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${url} answered ${answer.statusCode}`))
      answer.resume().on('end', resolve).on('error', reject)
    })
      .on('error', reject)
      .end(body)
  })
}
