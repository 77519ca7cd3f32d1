import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atMost } from './harness/floors.mjs'
import { processorSecondsOf } from './harness/processor-time.mjs'
import { peer } from './harness/python.mjs'
import { median, takeTurns } from './harness/rounds.mjs'
import { startServer, startService } from './harness/service.mjs'
import { figure } from './harness/text.mjs'
import { sampleText } from './http/requests.mjs'
import { Caller } from './proxy/completion.mjs'
import { writeModel } from './proxy/model.mjs'

const WIDTHS = [1024, 4096]
const TOKENS = 1000
const MOST_ADDED_MS = 3
/** Completions each way before the measured ones: V8 compiles the way of a request only after many. */
const WARM_UP = 2000
const OPTIONS = { max_tokens: 50, stream: true }

/**
 * What the proxy adds to a streamed completion of a prompt of 1,000 tokens: in turn, the body with rows as the proxy
 * makes it, sent from here to a stand-in of a model server, and the text sent to the proxy before the same stand-in.
 */
export async function bench({ quick, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-bench-proxy-'))
  const rows = []
  const floors = []
  let upstream
  let service
  try {
    for (const width of WIDTHS) writeModel(join(folder, `llama-${width}`), width)
    upstream = await startUpstream()
    service = await startService({
      env: { THREADS: '1', MODELS_DIR: folder, UPSTREAM_URL: upstream.url },
    })
    for (const width of WIDTHS) {
      const measured = await measure(service, upstream, `llama-${width}`, quick ? [200, 40] : [WARM_UP, 400])
      rows.push([figure(width), ...measured.cells])
      say(rows.at(-1).join(' | '))
      const added = (what, ms) => atMost(`added ${what}, C ${width}`, ms, MOST_ADDED_MS, 'ms')
      floors.push(added('to the first byte', measured.addedFirst), added('to the end', measured.addedEnd))
    }
  } finally {
    await Promise.all([service?.stop(), upstream?.stop()])
    rmSync(folder, { recursive: true })
  }
  return {
    title: 'What the proxy adds to a completion of 1,000 tokens, milliseconds at p50',
    notes: [
      'The same body to the same stand-in of a model server, which streams 50 events as fast as it can: with rows that',
      'were made before, sent by the caller itself; and with the text, sent through the proxy. Rows are bfloat16; one',
      'connection, one thread. The proxy’s own processor time is that of its whole process. Before it is measured, each way',
      `has had ${figure(WARM_UP)} completions, as many as a service has in its first minutes.`,
    ],
    head: [
      ...['C', 'body, MB'],
      ...['first byte, ready-made', 'through the proxy', 'added'],
      ...['end, ready-made', 'through the proxy', 'added', 'processor time of the proxy'],
    ],
    rows,
    floors,
  }
}

function startUpstream() {
  return startServer(
    (port) => ({ command: process.execPath, args: [peer('streaming-upstream.mjs'), String(port)] }),
    '/',
  )
}

/** Both ways in turn, and what the service's process took for its own. */
async function measure(service, upstream, model, [warmUp, rounds]) {
  const prompt = await promptOf(service, model)
  const { prompt_embeds } = await json(service, '/v1/prompt-embeds', { model, text: prompt })
  const ready = { model, prompt_embeds: prompt_embeds[0], ...OPTIONS }
  const callers = {
    ready: new Caller(upstream.url, Buffer.from(JSON.stringify(ready))),
    proxy: new Caller(service.url, Buffer.from(JSON.stringify({ model, prompt, ...OPTIONS }))),
  }
  const { length } = callers.ready.body
  const complete = (name) => async () => {
    const { bytes, ...times } = await callers[name].complete()
    if (bytes !== length) throw new Error(`${name}: the upstream got ${bytes} bytes, not ${length}`)
    return times
  }
  const contenders = { ready: complete('ready'), proxy: complete('proxy') }
  await takeTurns(warmUp, contenders)
  const before = processorSecondsOf(service.child.pid)
  const figures = await takeTurns(rounds, contenders)
  const processorMs = (1000 * (processorSecondsOf(service.child.pid) - before)) / rounds
  for (const caller of Object.values(callers)) caller.close()

  const p50 = (name, time) => median(figures[name].map((each) => each[time]))
  const times = ['first', 'end'].map((time) => [p50('ready', time), p50('proxy', time)])
  const [addedFirst, addedEnd] = times.map(([alone, through]) => through - alone)
  const [first, end] = times.map((pair) => pair.map(figure))
  return {
    cells: [
      figure(length / 1e6),
      ...[...first, figure(addedFirst), ...end, figure(addedEnd), figure(processorMs)],
    ],
    addedFirst,
    addedEnd,
  }
}

/** The beginning of the sample text that has so many tokens, with those around it. */
async function promptOf(service, model) {
  const text = sampleText()
  const { tokens } = await json(service, '/v1/tokenize', { model, text, add_special_tokens: true })
  return Buffer.from(text)
    .subarray(0, tokens[TOKENS - 2].end)
    .toString()
}

async function json({ url }, path, body) {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
