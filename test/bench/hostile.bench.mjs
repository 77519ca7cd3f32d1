import { loadEncoding } from '../../build/src/first-layer/tokens/encoding.js'
import { tokenizeAsync } from '../../build/src/first-layer/tokens/tokenize.js'
import { atLeast, atMost } from './harness/floors.mjs'
import { processorSeconds } from './harness/processor-time.mjs'
import { median } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'

const ENCODINGS = ['gpt2', 'o200k_base']
/** Bytes. */
const SIZES = SMOKE ? [1000, 2000] : [10_000, 125_000, 250_000, 500_000, 1_000_000]
const RIVAL_BYTES = SMOKE ? 1000 : 10_000
const NONE = new Set()

const anyOf = (from, count) => () => String.fromCodePoint(from + Math.floor(Math.random() * count))
const PUNCTUATION = '!@#$%^&*()-=+/\\'

/** One character of each kind: text in which no piece ends. */
const KINDS = {
  'one letter': () => 'a',
  'random letters': anyOf(0x61, 26),
  emoji: anyOf(0x1f300, 0x2ff),
  CJK: anyOf(0x4e00, 20_000),
  spaces: () => ' ',
  punctuation: () => PUNCTUATION[Math.floor(Math.random() * PUNCTUATION.length)],
}

function textOf(kind, bytes) {
  const each = Buffer.byteLength(KINDS[kind]())
  return Array.from({ length: Math.ceil(bytes / each) }, KINDS[kind]).join('')
}

async function secondsFor(encode, text) {
  const start = processorSeconds()
  await encode(text)
  return processorSeconds() - start
}

/** Texts on which a tokenizer's time may grow with the square of their length. */
export async function bench({ rounds, say }) {
  const { get_encoding } = await import('tiktoken')
  const rows = []
  const floors = []
  for (const name of ENCODINGS) {
    const encoding = await loadEncoding(name)
    const rival = get_encoding(name)
    const encode = (text) => tokenizeAsync(encoding, text, { allowedSpecial: NONE })
    for (const kind of Object.keys(KINDS)) {
      await encode(textOf(kind, SIZES.at(-1)))
      const seconds = SIZES.map(() => [])
      for (let round = 0; round < rounds; round++) {
        // A new text each time, unless only one such text exists: no piece is known from before.
        for (const [i, size] of SIZES.entries()) seconds[i].push(await secondsFor(encode, textOf(kind, size)))
      }
      const medians = seconds.map(median)
      const rivalSeconds = await secondsFor((text) => rival.encode_ordinary(text), textOf(kind, RIVAL_BYTES))
      const speed = SIZES.at(-1) / medians.at(-1) / 1e6
      const perByte = medians.map((taken, i) => (taken * 1e9) / SIZES[i])
      const growth = perByte.at(-1) / perByte[1]
      rows.push([
        name,
        kind,
        ...perByte.map(figure),
        figure(speed),
        figure(growth),
        `${figure(rivalSeconds / medians[0])} ×`,
      ])
      say(rows.at(-1).join(' | '))
      floors.push(atLeast(`${name}, 1 MB of ${kind}`, speed, 3, 'MB/s'))
      floors.push(atMost(`${name}, ${kind}: a byte of 1 MB beside one of 125 KB`, growth, 2, '×'))
    }
  }
  return {
    title: 'Text without an end to its words',
    notes: [
      'Nanoseconds a byte for 10 KB to 1 MB. A time that grows with the square of the length would make a byte of 1 MB eight times as dear as one of 125 KB. Processor time.',
    ],
    head: [
      'encoding',
      'text',
      ...SIZES.map((size) => `${size / 1000} KB`),
      'MB/s at 1 MB',
      '1 MB / 125 KB',
      'tiktoken (WASM), 10 KB',
    ],
    rows,
    floors,
  }
}
