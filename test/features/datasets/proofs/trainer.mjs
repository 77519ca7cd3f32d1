// A training run of some ranks, as `elastic.mjs` starts and kills it. One argument, JSON:
// { ports, dataset, query, outputs, worldSize, from, to, file }. The ranks fetch a batch side by side; its rows are
// appended to the file, and its number is told on standard output. A service that does not answer is left for the next.
import { openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { tensorsOf } from './safetensors.mjs'

const PATIENCE_MS = 120_000
const PAUSE_MS = 20

const { ports, dataset, query, outputs, worldSize, from, to, file } = JSON.parse(process.argv[2])
const out = openSync(file, 'a')
let service = 0

async function rows(batch, rank) {
  const recipe = new URLSearchParams({ ...query, outputs: outputs.join(','), rank, world_size: worldSize })
  const path = `/v1/datasets/${dataset}/batches/${batch}?${recipe}`
  const started = performance.now()
  for (;;) {
    const problem = await fetch(`http://127.0.0.1:${ports[service % ports.length]}${path}`, {
      headers: { Accept: 'application/vnd.safetensors' },
    }).then(read, (error) => error)
    if (!(problem instanceof Error)) return problem
    if (performance.now() - started > PATIENCE_MS) throw problem
    service++
    await delay(PAUSE_MS)
  }
}

async function read(answer) {
  if (answer.status >= 400 && answer.status < 500) {
    console.error(await answer.text())
    process.exit(1)
  }
  try {
    if (!answer.ok) throw new Error(await answer.text())
    return tensorsOf(Buffer.from(await answer.arrayBuffer()))
  } catch (error) {
    return error // the service has ended in the middle of it
  }
}

for (let batch = from; batch < to; batch++) {
  const ranks = await Promise.all(Array.from({ length: worldSize }, (_, rank) => rows(batch, rank)))
  for (const name of outputs) for (const tensors of ranks) writeSync(out, tensors[name].bytes)
  writeSync(1, `${batch}\n`)
}
