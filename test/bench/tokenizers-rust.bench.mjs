import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import {
  findLibraries,
  LIBRARIES,
  startLibrary,
  startOwn,
  startOwnService,
} from './tokenizers/contenders.mjs'
import { CORPUS_NAMES, TEXTS_NOTE } from './tokenizers/corpora.mjs'
import { hasTexts, unseenTexts } from './tokenizers/documents.mjs'
import { TOKENIZERS, tokenizerFiles } from './tokenizers/tokenizer-files.mjs'

const [OWN, SERVICE] = ['Inlet', 'service']
/** Whose ids all others' must be: tiktoken brings no text into normal form. */
const referenceOf = ({ normalizes, pattern }) =>
  normalizes || Array.isArray(pattern) ? 'tokenizers' : 'tiktoken'
const ROUNDS = 7
/** Times that all documents to warm up with go to each, and to the service: V8 has then compiled what it will. */
const WARM = SMOKE ? 1 : 6
const WARM_SERVICE = SMOKE ? 1 : 150
/** The tokenizer whose wanted ratios are checked. */
const [CHECKED, BEST] = ['gpt2', 'gigatoken']
const WANTED = { prose: 0.8, 'JSON and logs': 0.8, 'many languages': 1 }

/** Text to ids beside the libraries written in Rust, each in a separate process, on text that none has seen. */
export async function bench({ rounds, quick, say }) {
  const { present, absent } = findLibraries()
  for (const line of [TEXTS_NOTE, ...absent].filter(Boolean)) say(line)
  const rows = []
  const floors = []
  const refused = new Set()
  for (const name of SMOKE ? [CHECKED] : Object.keys(TOKENIZERS)) {
    for (const corpus of CORPUS_NAMES.filter(hasTexts)) {
      const contenders = await startAll(name, present, (line) => refused.add(line))
      try {
        const { seconds, bytes } = await timed(
          name,
          contenders,
          corpus,
          quick ? Math.min(rounds, 3) : ROUNDS,
          say,
        )
        rows.push(rowOf(name, corpus, seconds, bytes))
        say(rows.at(-1).join(' | '))
        if (name === CHECKED && seconds[SERVICE]) floors.push(...floorsOf(corpus, seconds))
      } finally {
        for (const { stop } of Object.values(contenders)) await stop()
      }
    }
  }
  const versions = Object.entries(present).map(([library, { versions }]) => `${library} ${versions[library]}`)
  return {
    title: 'Text to ids beside libraries in Rust, on text not seen before',
    notes: [
      `Each in a process of its own, one thread, processor time; by turns, another text each round, ${ROUNDS} rounds; documents of 100,000 characters, shorter ones of many languages. ${versions.join(', ')}.`,
      `The ratios are ours to theirs; \`service\` is the whole service, a document a request of \`text/plain\` and its ids as raw bytes, beside ${BEST}. Ids were compared with tiktoken’s first, for Qwen 2’s form with those of tokenizers.`,
      'A family’s form: a tokenizer.json with its split patterns (and NFC for Qwen 2) over cl100k_base’s tokens, for the families’ own files are not at hand.',
      ...[...refused, ...absent].sort(),
      TEXTS_NOTE,
    ],
    head: ['tokenizer', 'text', 'MB/s', ...LIBRARIES, 'service, MB/s', `service, ${BEST}`],
    rows,
    floors,
  }
}

/** Starts all that can do the tokenizer; those that cannot are told to `refuse`. */
async function startAll(name, present, refuse) {
  const files = await tokenizerFiles(name)
  const contenders = { [OWN]: await startOwn(name, files) }
  for (const [library, python] of Object.entries(present)) {
    try {
      contenders[library] = await startLibrary(library, python, name, files)
    } catch (error) {
      refuse(`${library} has no ${name}: ${error.message}.`)
    }
  }
  if (TOKENIZERS[name].encoding) contenders[SERVICE] = await startOwnService(name)
  return contenders
}

/** Warms all up, drops those whose ids are not the reference's, and runs the others alternately. */
async function timed(tokenizer, contenders, corpus, rounds, say) {
  const { warm, unseen } = unseenTexts(corpus, rounds)
  const right = await idsOf(contenders[referenceOf(TOKENIZERS[tokenizer])] ?? contenders[OWN], warm)
  const names = []
  for (const [name, contender] of Object.entries(contenders)) {
    if ((await idsOf(contender, warm, name === SERVICE ? WARM_SERVICE : WARM)) === right) names.push(name)
    else say(`${tokenizer}, ${corpus}: ${name} gives other ids and is not timed`)
  }
  const asked = Object.fromEntries(names.map((name) => [name, 0]))
  const seconds = await takeTurns(
    rounds,
    Object.fromEntries(
      names.map((name) => [name, async () => (await contenders[name].ask(unseen[asked[name]++])).seconds]),
    ),
  )
  const bytes = unseen.map((texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0))
  return { seconds, bytes }
}

async function idsOf(contender, texts, times = WARM) {
  for (let i = 1; i < times; i++) await contender.ask(texts)
  return JSON.stringify((await contender.ask(texts)).ids)
}

function rowOf(name, corpus, seconds, bytes) {
  const speed = (who) =>
    seconds[who] && figure(median(seconds[who].map((taken, round) => bytes[round] / taken / 1e6)))
  const beside = (own, rival) =>
    seconds[own] && seconds[rival] ? times(ratio(seconds[rival], seconds[own])) : '–'
  const cell = (library) => (seconds[library] ? `${speed(library)}, ${beside(OWN, library)}` : '–')
  return [name, corpus, speed(OWN), ...LIBRARIES.map(cell), speed(SERVICE) ?? '–', beside(SERVICE, BEST)]
}

function floorsOf(corpus, seconds) {
  const wanted = WANTED[corpus]
  const floors = []
  const middle = (own, rival) => ratio(seconds[rival], seconds[own]).middle
  if (wanted && seconds[BEST])
    floors.push(atLeast(`${CHECKED}, ${corpus}, the service beside ${BEST}`, middle(SERVICE, BEST), wanted))
  if (seconds.fastokens)
    floors.push(
      atLeast(`${CHECKED}, ${corpus}, the service beside fastokens`, middle(SERVICE, 'fastokens'), 3),
    )
  return floors
}
