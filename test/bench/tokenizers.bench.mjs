import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { findLibraries, LIBRARIES, startLibrary, startOwnService } from './tokenizers/contenders.mjs'
import { TEXTS_NOTE } from './tokenizers/corpora.mjs'
import { hasTexts, unseenTexts } from './tokenizers/documents.mjs'
import { TOKENIZERS, tokenizerFiles } from './tokenizers/tokenizer-files.mjs'

const [OWN, SERVICE] = ['Inlet', 'service']
/** Times that all documents to warm up with go to each, and to the service: V8 has then compiled what it will. */
const WARM = SMOKE ? 1 : 6
const WARM_SERVICE = SMOKE ? 1 : 100

/** Text to ids beside other libraries, each in a separate process, on text that none has seen. */
export async function bench({ rounds, quick, say }) {
  const { present, absent } = findLibraries()
  const notes = new Set([TEXTS_NOTE, ...absent].filter(Boolean))
  for (const note of notes) say(note)
  const rows = []
  const floors = []
  for (const [name, { texts, floor }] of Object.entries(TOKENIZERS).slice(0, SMOKE ? 1 : undefined)) {
    const contenders = await startAll(name, present, (note) => notes.add(note))
    try {
      for (const corpus of texts.slice(0, quick ? 1 : undefined).filter(hasTexts)) {
        const { seconds, bytes, others } = await timed(name, contenders, corpus, rounds)
        for (const other of others) notes.add(`${other} gives other ids of ${name}, ${corpus}.`)
        const { row, beside } = rowOf(seconds, bytes, present)
        rows.push([name, corpus, ...row])
        say(rows.at(-1).join(' | '))
        if (beside) floors.push(atLeast(`${name}, ${corpus}, beside the fastest`, beside.middle, floor))
      }
    } finally {
      for (const { stop } of Object.values(contenders)) await stop()
    }
  }
  return {
    title: 'Text to ids beside other libraries, MB/s of UTF-8 not seen before',
    notes: [
      `Each library is called in a process of its own, one thread, processor time; they take turns, ${rounds} rounds, another text in each: two documents of 100,000 characters (shorter ones of many languages). tiktoken, gigatoken, fastokens and tokenizers are called from Python, the others from Node. A ratio is Inlet's speed to theirs. The service's is to the fastest library: all that its process does for a document a request.`,
      'Ids were compared first. A model’s form: its split patterns, SentencePiece’s form or (Qwen 2) NFC over cl100k_base’s tokens, for the models’ own files are not at hand; WordPiece has a small vocabulary.',
      ...notes,
    ],
    head: [
      'tokenizer',
      'text',
      OWN,
      ...LIBRARIES.map((each) => named(each, present)),
      'fastest library',
      SERVICE,
    ],
    rows,
    floors,
  }
}

const named = (library, present) => [library, present[library]?.version].filter(Boolean).join(' ')

/** Starts all that can do the tokenizer; those that cannot are noted. */
async function startAll(name, present, note) {
  const files = await tokenizerFiles(name)
  const contenders = { [OWN]: await startLibrary(OWN, undefined, name, files) }
  for (const [library, { path }] of Object.entries(present)) {
    try {
      contenders[library] = await startLibrary(library, path, name, files)
    } catch (error) {
      if (path) note(`${library} cannot do ${name}: ${error.message.split('\n')[0]}.`)
    }
  }
  if (TOKENIZERS[name].encoding) contenders[SERVICE] = await startOwnService(name)
  return contenders
}

/** Warms all up, drops the libraries whose ids are not ours, and lets the rest take turns. */
async function timed(tokenizer, contenders, corpus, rounds) {
  const { warm, unseen } = unseenTexts(corpus, rounds)
  const idsOf = async (contender, times) => {
    for (let i = 1; i < times; i++) await contender.ask(warm)
    return JSON.stringify((await contender.ask(warm)).ids)
  }
  const ids = {}
  for (const [name, contender] of Object.entries(contenders))
    ids[name] = await idsOf(contender, name === SERVICE ? WARM_SERVICE : WARM)
  const reference = ids.tokenizers ?? ids.tiktoken ?? ids[OWN]
  if (ids[OWN] !== reference)
    throw new Error(`${tokenizer}, ${corpus}: Inlet's ids are not those of tokenizers`)
  const names = Object.keys(ids).filter((name) => ids[name] === reference)
  const turns = names.map((name) => {
    const texts = unseen.values()
    return [name, async () => (await contenders[name].ask(texts.next().value)).seconds]
  })
  return {
    seconds: await takeTurns(rounds, Object.fromEntries(turns)),
    bytes: unseen.map((texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)),
    others: Object.keys(ids).filter((name) => ids[name] !== reference),
  }
}

/** The cells after the text's name, and our ratio to the fastest library. */
function rowOf(seconds, bytes, present) {
  const speed = (who) => median(seconds[who].map((taken, round) => bytes[round] / taken / 1e6))
  const here = LIBRARIES.filter((library) => seconds[library])
  const cell = (library) =>
    seconds[library] ? `${figure(speed(library))}, ${times(ratio(seconds[library], seconds[OWN]))}` : '–'
  const [fastest] = here.sort((a, b) => speed(b) - speed(a))
  const beside = fastest && ratio(seconds[fastest], seconds[OWN])
  const best = fastest ? `${named(fastest, present)}, ${times(beside)}` : '–'
  const ofService = fastest && seconds[SERVICE] && times(ratio(seconds[fastest], seconds[SERVICE]))
  const service = seconds[SERVICE] ? [figure(speed(SERVICE)), ofService].filter(Boolean).join(', ') : '–'
  return { row: [figure(speed(OWN)), ...LIBRARIES.map(cell), best, service], beside }
}
