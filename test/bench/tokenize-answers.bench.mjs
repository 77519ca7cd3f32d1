import { tokenizedJson } from '../../build/src/features/tokenize/tokenized.js'
import { loadEncoding } from '../../build/src/first-layer/tokens/encoding.js'
import { tokenizeAsync } from '../../build/src/first-layer/tokens/tokenize.js'
import { turn } from '../../build/src/service/process/turn.js'
import { atLeast, atMost } from './harness/floors.mjs'
import { processorSeconds } from './harness/processor-time.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { longestTurn } from './harness/turns.mjs'
import { corpus } from './tokenizers/corpora.mjs'

const ENCODINGS = ['gpt2', 'o200k_base']
const CHARACTERS = SMOKE ? 5000 : 500_000
const NONE = new Set()

const anyOf = (from, count) => () => String.fromCodePoint(from + Math.floor(Math.random() * count))
const random = (character) => () => Array.from({ length: CHARACTERS }, character).join('')

/** Texts whose characters are one byte, or three that are several tokens. */
const TEXTS = {
  prose: () => corpus('prose').slice(0, CHARACTERS),
  CJK: random(anyOf(0x4e00, 20_000)),
  Devanagari: random(anyOf(0x905, 0x60)),
}

/** The full answer of `/v1/tokenize`, its ids known: one thread, to bytes. */
export async function bench({ rounds, say }) {
  const rows = []
  const floors = []
  for (const name of ENCODINGS) {
    const encoding = await loadEncoding(name)
    for (const [kind, make] of Object.entries(TEXTS)) {
      const ids = await tokenizeAsync(encoding, make(), { allowedSpecial: NONE })
      const turns = []
      for (let round = 0; round < rounds; round++)
        turns.push(await longestTurn(() => send({ ...encoding }, ids))) // before the collector has objects to look after
      const objects = await answerOf(encoding, ids)
      const bytes = Buffer.byteLength(JSON.stringify(objects))
      const speeds = await takeTurns(rounds, {
        Inlet: () => megabytesASecond(bytes, () => write(encoding, ids)),
        JSON: () => megabytesASecond(bytes, () => Buffer.from(JSON.stringify(objects))),
        // A copy of the encoding is one whose tokens no answer has had yet.
        first: () => megabytesASecond(bytes, () => write({ ...encoding }, ids)),
      })
      const faster = ratio(speeds.Inlet, speeds.JSON)
      const [speed, first, turn] = [speeds.Inlet, speeds.first, turns].map(median)
      rows.push([name, kind, figure(bytes / 1e6), figure(speed), times(faster), figure(first), figure(turn)])
      say(rows.at(-1).join(' | '))
      floors.push(atLeast(`${name}, ${kind}, tokens that come for the first time`, first, 40, 'MB/s'))
      floors.push(atLeast(`${name}, ${kind}, beside JSON.stringify`, faster.middle, 0.5))
      floors.push(atMost(`${name}, ${kind}, longest turn`, turn, 5, 'ms'))
    }
  }
  return {
    title: 'Tokens to JSON',
    notes: [
      'The full answer of `/v1/tokenize`, its ids known, for 500,000 characters; `JSON.stringify` has its objects ready.',
      'Processor time. The longest turn of the event loop, in milliseconds by the clock, where tokens come for the first time and the client takes each block at once.',
    ],
    head: ['encoding', 'text', 'MB', 'MB/s', 'beside JSON.stringify', 'MB/s at first', 'longest turn'],
    rows,
    floors,
  }
}

/** The blocks of an answer, without the pauses between them. */
function* blocksOf({ body }) {
  for (const block of body) if (block instanceof Uint8Array) yield block
}

async function answerOf(encoding, ids) {
  const blocks = []
  for (const block of blocksOf(tokenizedJson(encoding, ids))) blocks.push(Buffer.from(block))
  return JSON.parse(Buffer.concat(blocks).toString())
}

async function write(encoding, ids) {
  const { size, body } = tokenizedJson(encoding, ids)
  let bytes = 0
  for (const block of blocksOf({ body })) bytes += block.length
  if (bytes > size) throw new Error(`${bytes} bytes were written, at most ${size} were promised`)
}

/** As the service sends it, to a client that takes each block within the same turn. */
async function send(encoding, ids) {
  const { body } = tokenizedJson(encoding, ids)
  for (const _ of blocksOf({ body })) await turn()
}

async function megabytesASecond(bytes, work) {
  const start = processorSeconds()
  await work()
  return bytes / 1e6 / (processorSeconds() - start)
}
