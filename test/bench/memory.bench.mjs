import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { atMost } from './harness/floors.mjs'
import { startService } from './harness/service.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'
import { firstTokens } from './http/requests.mjs'

const TOKENS = 5145
const READ_BYTES = SMOKE ? 20_000_000 : 600_000_000
const PAUSE_MS = 5
const MB = 1e6

/** The service's memory while a 4 GiB answer leaves for a client that reads slowly. */
export async function bench({ say }) {
  if (process.platform !== 'linux') say('Resident memory is read from /proc: figures need Linux.')
  const service = await startService({ env: { THREADS: '1' } })
  try {
    const tableBytes = (50257 + 1024 + 2) * 256 * 4
    const ready = residentBytes(service.child.pid)
    const body = JSON.stringify({ text: await firstTokens(TOKENS), context_length: 1024, stride: 1 })
    const { length, highest } = await readSlowly(service, body)
    const above = (bytes) => (bytes - tableBytes) / MB
    return {
      title: 'Memory, MB',
      notes: [
        `[4121, 1024, 256] from 5,145 tokens: an answer of ${figure(length / 2 ** 30)} GiB, read at about 100 MB/s, ${READ_BYTES / MB} MB of it. One thread.`,
      ],
      head: ['tables', 'beside them when ready', 'beside them while it streams'],
      rows: [[tableBytes, ready, highest].map((bytes, i) => figure(i === 0 ? bytes / MB : above(bytes)))],
      floors: [atMost('memory beside the tables while 4 GiB stream', above(highest), 200, 'MB')],
    }
  } finally {
    await service.stop()
  }
}

function readSlowly({ url, child }, body) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/octet-stream',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/input-embeddings`, { method: 'POST', headers }, async (response) => {
      if (response.statusCode !== 200) return reject(new Error(`answered ${response.statusCode}`))
      let bytes = 0
      let highest = 0
      let sinceSample = 0
      for await (const chunk of response) {
        bytes += chunk.length
        sinceSample += chunk.length
        if (sinceSample > 500_000) {
          sinceSample = 0
          highest = Math.max(highest, residentBytes(child.pid))
          await setTimeout(PAUSE_MS)
        }
        if (bytes >= READ_BYTES) break
      }
      sent.destroy()
      resolve({ length: Number(response.headers['content-length']), highest })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function residentBytes(pid) {
  const [, kibibytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(kibibytes) * 1024
}
