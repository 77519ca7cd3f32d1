// Our byte-level BPE beside the Rust library, one thread each, in turn: `node test/bench/byte-pair.mjs TOKENIZER.JSON
// TEXT`, after `npm run build && npm run build:modules`. Requests of 4,096 characters; MB/s of UTF-8, medians of rounds.

import { readFileSync } from 'node:fs'
import { Tokenizer as RustTokenizer } from 'tokenizers'
import { bytePairTokenizer } from '../../build/src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { tokenizeText } from '../../build/src/first-layer/tokens/tokenize.js'
import { readTokenizerFiles } from '../../build/src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { driveAsync } from '../../build/src/load/drive.js'

const REQUEST = 4096
const REQUESTS = 40
const ROUNDS = 7

const [tokenizerPath, textPath] = process.argv.slice(2)
const file = readFileSync(tokenizerPath, 'utf8')
const { kind, spec } = readTokenizerFiles({ tokenizer: file })
if (kind !== 'byte_pair') throw new Error(`${tokenizerPath} is none that our encoder does`)
const ours = await driveAsync(bytePairTokenizer(spec))
const rust = RustTokenizer.fromString(file)
rust.disableTruncation()
rust.disablePadding()
const options = { allowedSpecial: new Set(ours.specialTokens.keys()) }
const text = readFileSync(textPath, 'utf8')

const encoders = {
  ours: async (part) => [...(await driveAsync(tokenizeText(ours, part, options)))],
  'tokenizers (Rust)': async (part) => (await rust.encode(part, null, { addSpecialTokens: false })).getIds(),
}
const rates = { ours: [], 'tokenizers (Rust)': [] }
for (let round = 0; round < ROUNDS; round++) {
  const start = (round * REQUESTS * REQUEST) % Math.max(1, text.length - REQUESTS * REQUEST)
  const parts = Array.from({ length: REQUESTS }, (_, i) =>
    text.slice(start + i * REQUEST, start + (i + 1) * REQUEST),
  )
  const bytes = Buffer.byteLength(parts.join(''))
  const given = []
  for (const [name, encode] of Object.entries(encoders)) {
    const ids = []
    const before = process.cpuUsage()
    for (const part of parts) ids.push(await encode(part))
    const { user, system } = process.cpuUsage(before)
    rates[name].push(bytes / (user + system))
    given.push(JSON.stringify(ids))
  }
  if (given[0] !== given[1]) throw new Error('the ids differ')
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
for (const [name, list] of Object.entries(rates))
  console.log(`${name}: ${median(list).toFixed(2)} MB/s of processor time`)
console.log(`ratio: ${(median(rates.ours) / median(rates['tokenizers (Rust)'])).toFixed(1)}`)
