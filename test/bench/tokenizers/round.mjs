// One round in a separate process, its caches cold: node round.mjs ENCODING CORPUS CHUNKS NPM_RIVALS
// Each chunk goes to all encoders in turn. Prints { bytes, seconds: { encoder: … }, mismatches }.
//
// By the clock: processor time would bill an encoder for what the collector and the compilers still do, in threads of
// their own, for the one before it. The machine must have nothing else to do.
import { setTimeout } from 'node:timers/promises'
import { chunks } from './chunks.mjs'
import { FROM_NPM, INSTALLED, ownEncoder } from './encoders.mjs'

/** The compilers' work in other threads is not the encoder's. */
const SETTLE_MS = 300

const [encodingName, corpusName, chunkCount, npmRivals] = process.argv.slice(2)
const encoders = { Inlet: await ownEncoder(encodingName) }
for (const [name, make] of Object.entries(INSTALLED)) encoders[name] = await make(encodingName)
for (const name of npmRivals.split(',').filter(Boolean)) encoders[name] = await FROM_NPM[name](encodingName)

const { warm, unseen } = chunks(corpusName, Number(chunkCount))
for (const chunk of warm) {
  for (const encoder of Object.values(encoders)) await encoder.encode(chunk)
}

await setTimeout(SETTLE_MS)

const names = Object.keys(encoders)
const seconds = Object.fromEntries(names.map((name) => [name, 0]))
let bytes = 0
let mismatches = 0
for (const [i, chunk] of unseen.entries()) {
  bytes += Buffer.byteLength(chunk)
  const found = {}
  for (let turn = 0; turn < names.length; turn++) {
    const name = names[(i + turn) % names.length]
    const start = performance.now()
    found[name] = await encoders[name].encode(chunk)
    seconds[name] += (performance.now() - start) / 1000
  }
  const own = [...found.Inlet].join()
  for (const name of names) {
    if (!encoders[name].hasOtherIds && [...found[name]].join() !== own) mismatches++
  }
}
console.log(JSON.stringify({ bytes, seconds, mismatches }))
