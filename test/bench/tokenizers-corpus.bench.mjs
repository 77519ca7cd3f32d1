import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { findLibraries, startLibrary, startOwn, startOwnService } from './tokenizers/contenders.mjs'
import { CORPUS_NAMES, TEXTS_NOTE } from './tokenizers/corpora.mjs'
import { hasTexts, unseenTexts } from './tokenizers/documents.mjs'
import { eachText, oneList } from './tokenizers/requests.mjs'
import { tokenizerFiles } from './tokenizers/tokenizer-files.mjs'

const TOKENIZER = 'gpt2'
const RIVAL = 'gigatoken'
/** Cuts a corpus in documents of 62 KB, two for each. */
const PARTS = 7
const MAX_ROUNDS = 3
/** Times that the texts to warm up with go to each, and to the service. */
const WARM = SMOKE ? 1 : 6
const WARM_SERVICE = SMOKE ? 1 : 200
const WANTED = { prose: 0.8, 'JSON and logs': 0.8, 'many languages': 1 }

const joined = (texts) => [texts.join('\n')]
/** How a corpus goes to the service: `texts` of documents, and how these are sent. */
const WAYS = {
  'documents of 62 KB, a request each': { texts: (documents) => documents, send: eachText },
  'the same in one list': { texts: (documents) => documents, send: oneList },
  'all as one text': { texts: joined, send: eachText },
}

/** A corpus that nobody has seen to ids, through the service and by the fastest library. */
export async function bench({ rounds, quick, say }) {
  const { present, absent } = findLibraries()
  const rival = present[RIVAL]
  for (const line of [TEXTS_NOTE, ...absent].filter(Boolean)) say(line)
  const rows = []
  const floors = []
  const files = await tokenizerFiles(TOKENIZER)
  for (const corpus of CORPUS_NAMES.filter(hasTexts)) {
    const { warm, unseen } = unseenTexts(corpus, PARTS)
    for (const [way, { texts, send }] of Object.entries(WAYS)) {
      const given = texts(unseen.flat())
      const bytes = given.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
      const contenders = {
        service: [() => startOwnService(TOKENIZER, send), WARM_SERVICE],
        kernel: [() => startOwn(TOKENIZER, files), WARM],
      }
      if (rival) contenders[RIVAL] = [() => startLibrary(RIVAL, rival, TOKENIZER, files), WARM]
      const found = {}
      const asked = Object.entries(contenders).map(([name, [start, times]]) => [
        name,
        async () => {
          const contender = await start()
          for (let i = 0; i < times; i++) await contender.ask(texts(warm))
          const { seconds, ids } = await contender.ask(given)
          await contender.stop()
          found[name] = ids.flat().join()
          return seconds
        },
      ])
      const seconds = await takeTurns(quick ? 1 : Math.min(rounds, MAX_ROUNDS), Object.fromEntries(asked))
      for (const [name, ids] of Object.entries(found)) {
        if (ids !== found.kernel) throw new Error(`${corpus}, ${way}: ${name} gives other ids`)
      }
      rows.push(rowOf(corpus, way, seconds, bytes))
      say(rows.at(-1).join(' | '))
      if (rival && WANTED[corpus]) {
        const { middle } = ratio(seconds[RIVAL], seconds.service)
        floors.push(atLeast(`${corpus}, ${way}, the service beside ${RIVAL}`, middle, WANTED[corpus]))
      }
    }
  }
  return {
    title: 'A corpus to GPT-2 ids, on text not seen before',
    notes: [
      `Some 0.9 MB in documents of 62 KB. Each in a new process for each of ${MAX_ROUNDS} rounds, one thread, warm by other text (the service by 1,400 requests of 62 KB, or 200 of lists or texts of 0.4 MB), processor time of all its threads; by turns. ${rival ? `${RIVAL} ${rival.versions[RIVAL]}.` : ''}`,
      'The ratios are ours to theirs. A list is JSON to `/v1/tokenize`, whose answer has each token’s place too, 12 bytes a token; otherwise `text/plain` to `/v1/input-embeddings`, 4 bytes a token. `kernel`: the tokenizer without the service.',
      ...absent.filter((line) => line.startsWith(RIVAL)),
      TEXTS_NOTE,
    ],
    head: ['text', 'sent as', 'service, MB/s', RIVAL, 'kernel, MB/s', `kernel, ${RIVAL}`],
    rows,
    floors,
  }
}

function rowOf(corpus, way, seconds, bytes) {
  const speed = (name) => figure(median(seconds[name].map((taken) => bytes / taken / 1e6)))
  const rival = seconds[RIVAL]
  const beside = (name) => (rival ? times(ratio(rival, seconds[name])) : '–')
  const rivalCell = rival ? `${speed(RIVAL)}, ${beside('service')}` : '–'
  return [corpus, way, speed('service'), rivalCell, speed('kernel'), beside('kernel')]
}
