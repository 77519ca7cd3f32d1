import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { atMost } from './harness/floors.mjs'
import { peer } from './harness/python.mjs'
import { median } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'
import { sampleText } from './http/requests.mjs'
import { file, mixedText, randomLetters } from './latency/texts.mjs'

const UPLOAD_BYTES = SMOKE ? 1_000_000 : 64_000_000
const JSON_BYTES = SMOKE ? 1_000_000 : 2_000_000
const PAUSE_MS = 3
const MAX_ROUNDS = 3

/** A short request's time while long ones are served, and the turns of the event loop during that time. */
export async function bench({ rounds, quick, say }) {
  const mixed = mixedText(UPLOAD_BYTES)
  const cases = [
    { name: 'nothing else', uploads: 0 },
    { name: '64 MB text/plain', uploads: 1, path: mixed },
    { name: 'two of them at once', uploads: 2, path: mixed },
    { name: '64 MB text/plain of one word', uploads: 1, path: randomLetters(UPLOAD_BYTES) },
    { name: '2 MB JSON', uploads: 1, path: jsonFile(mixed), isJson: true },
  ]
  const rows = []
  const floors = []
  for (const threads of quick ? [1] : [1, 2]) {
    const service = await startService({
      env: { THREADS: String(threads) },
      args: ['--import', peer('watch-turns.mjs')],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    try {
      await measure(service, cases[0], SMOKE ? 200 : 2000)
      for (const each of cases) {
        const results = []
        for (let round = 0; round < Math.min(rounds, MAX_ROUNDS); round++) {
          results.push(await measure(service, each, SMOKE ? 200 : 4000))
        }
        const of = (name) => median(results.map((result) => result[name]))
        rows.push([
          threads,
          each.name,
          ...['p50', 'p99', 'live', 'turnP99', 'longestTurn', 'uploads'].map((n) => figure(of(n))),
        ])
        say(rows.at(-1).join(' | '))
        if (each.path && !each.isJson) {
          floors.push(
            atMost(`p99 of a short request beside ${each.name}, ${threads} threads`, of('p99'), 40, 'ms'),
            atMost(`slowest /health/live beside ${each.name}, ${threads} threads`, of('live'), 250, 'ms'),
          )
          floors.push(atMost(`p99 turn beside ${each.name}, ${threads} threads`, of('turnP99'), 5, 'ms'))
        }
      }
    } finally {
      await service.stop()
    }
  }
  return {
    title: 'A request of 100 characters while long ones are served, milliseconds',
    notes: [
      'The long ones come one after the other; `text/plain` asks for `input_ids` as raw bytes.',
      'Turns are those of the first thread’s event loop. Clients and service share the machine.',
    ],
    head: [
      'threads',
      'beside',
      'p50',
      'p99',
      'slowest /health/live',
      'turns p99',
      'longest turn',
      'long ones served',
    ],
    rows,
    floors,
  }
}

function jsonFile(textFile) {
  const text = readFileSync(textFile)
    .subarray(0, JSON_BYTES * 0.8)
    .toString('utf8')
  const body = { text, context_length: 256, outputs: ['input_ids'] }
  return file('body.json', JSON.stringify(body))
}

/** Median of a round's short requests, the slowest probe between them, and the loop's turns. */
async function measure({ url, child }, { uploads, path, isJson }, milliseconds) {
  const query = isJson ? '' : '?context_length=256&outputs=input_ids'
  const type = isJson ? 'application/json' : 'text/plain'
  let answered = 0
  const uploaders = Array.from({ length: uploads }, () => {
    const uploader = spawn(
      process.execPath,
      [peer('uploader.mjs'), `${url}/v1/input-embeddings${query}`, path, type],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    uploader.stdout.on('data', (lines) => {
      for (const line of String(lines).trim().split('\n')) {
        if (line.startsWith('200 ')) answered++
        else throw new Error(`a long request was answered ${line}`)
      }
    })
    return uploader
  })
  if (uploads > 0) await setTimeout(500)
  await turns(child)
  const times = []
  let live = 0
  const agent = new Agent({ keepAlive: true })
  const end = performance.now() + milliseconds
  while (performance.now() < end) {
    times.push(await asked(`${url}/v1/input-embeddings`, { method: 'POST', agent, headers: HEADERS }, SHORT))
    live = Math.max(live, await asked(`${url}/health/live`, { agent }))
    await setTimeout(PAUSE_MS)
  }
  agent.destroy()
  const { p99, longest } = await turns(child)
  for (const uploader of uploaders) {
    uploader.kill()
    await once(uploader, 'exit')
  }
  times.sort((a, b) => a - b)
  const at = (share) => times[Math.min(times.length - 1, Math.floor(times.length * share))]
  return { p50: at(0.5), p99: at(0.99), live, turnP99: p99, longestTurn: longest, uploads: answered }
}

async function turns(child) {
  child.send('turns')
  const [figures] = await once(child, 'message')
  return figures
}

const SHORT = JSON.stringify({ text: sampleText().slice(0, 100), outputs: ['input_ids'] })
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/octet-stream',
  'content-length': Buffer.byteLength(SHORT),
}

/** The milliseconds until an answer of 200 is there. */
function asked(url, options, body) {
  return new Promise((resolve, reject) => {
    const start = performance.now()
    request(url, options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} was answered ${response.statusCode}`))
      response.resume().on('end', () => resolve(performance.now() - start))
    })
      .on('error', reject)
      .end(body)
  })
}
