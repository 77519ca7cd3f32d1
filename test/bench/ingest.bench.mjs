import { DocumentWriter } from '../../build/src/corpus/document-writer.js'
import { ingestIds } from '../../build/src/corpus/ingest-ids.js'
import { ingestNdjson } from '../../build/src/corpus/ingest-ndjson.js'
import { ingestText } from '../../build/src/corpus/ingest-text.js'
import { loadEncoding } from '../../build/src/first-layer/tokens/encoding.js'
import { tokenizeAsync } from '../../build/src/first-layer/tokens/tokenize.js'
import { atLeast } from './harness/floors.mjs'
import { processorSeconds } from './harness/processor-time.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'
import { corpus } from './tokenizers/corpora.mjs'

const ENCODINGS = ['gpt2']
const CHARACTERS = SMOKE ? 100_000 : 20_000_000
/** Characters of a document of NDJSON. */
const DOCUMENT = 3000
const CHUNK = 65_536
const FLOOR = 0.7

/** From the bytes of an upload to ids of documents, in one thread, beside the tokenizer alone on the same text. */
export async function bench({ rounds, say }) {
  const prose = corpus('prose')
  const text = prose
    .repeat(Math.ceil(CHARACTERS / prose.length))
    .slice(0, CHARACTERS)
    .toWellFormed()
  const body = Buffer.from(text)
  const lines = text.split('\n').filter((line) => line !== '')
  const documents = Array.from({ length: Math.ceil(text.length / DOCUMENT) }, (_, i) =>
    text.slice(i * DOCUMENT, (i + 1) * DOCUMENT).toWellFormed(),
  )
  const ndjson = Buffer.from(documents.map((each) => JSON.stringify({ text: each })).join('\n'))
  const shortest = Buffer.from('a\n'.repeat(CHARACTERS / 10))
  const ids = Buffer.alloc(2 * CHARACTERS, 1)

  const rows = []
  const floors = []
  for (const name of ENCODINGS) {
    const tokenizer = await loadEncoding(name)
    const how = { tokenizer, allowedSpecial: new Set(['<|endoftext|>']) }
    const asText = (bytes, documents) =>
      ingestText(cut(bytes), { ...how, documents }, new DocumentWriter(new Counted()))
    const asNdjson = () =>
      ingestNdjson(
        cut(ndjson),
        { text: how, textField: 'text', maxLineBytes: 1 << 26 },
        new DocumentWriter(new Counted()),
      )
    const contenders = {
      tokenizer: timed(body.length, () => tokenizeAsync(tokenizer, slices(body), how)),
      'one document': timed(body.length, () => asText(body, 'one')),
      lines: timed(body.length, () => asText(body, 'lines')),
      NDJSON: timed(body.length, asNdjson),
      'lines of one byte': timed(shortest.length, () => asText(shortest, 'lines')),
      'ids (uint16)': timed(ids.length, () =>
        ingestIds(cut(ids), { dtype: 'uint16' }, new DocumentWriter(new Counted())),
      ),
    }
    if (!SMOKE) await takeTurns(1, contenders) // the compiler has seen all of them then
    const figures = await takeTurns(rounds, contenders)
    for (const [kind, speeds] of Object.entries(figures)) {
      const beside = ratio(speeds, figures.tokenizer)
      rows.push([name, kind, figure(median(speeds)), times(beside)])
      say(rows.at(-1).join(' | '))
      if (kind === 'one document')
        floors.push(atLeast(`${name}, ${kind}, beside the tokenizer`, beside.middle, FLOOR))
    }
  }
  return {
    title: 'Uploads of datasets: bytes to ids of documents',
    notes: [
      `One thread, processor time; MB/s of the text's UTF-8, of the body for lines of one byte and ids. The tokenizer alone makes one list of ids of the whole text. Lines have ${figure(body.length / lines.length)} bytes on average, documents of NDJSON ${DOCUMENT} characters.`,
      'A sink that counts takes the ids.',
    ],
    head: ['encoding', 'upload', 'MB/s', 'beside the tokenizer'],
    rows,
    floors,
  }
}

class Counted {
  ids = 0
  documents = 0

  write(ids) {
    this.ids += ids.length
  }

  endDocument() {
    this.documents++
  }
}

function* slices(bytes) {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK)
}

async function* cut(bytes) {
  yield* slices(Buffer.from(bytes)) // a copy: what is taken in is written in
}

function timed(bytes, work) {
  return async () => {
    const start = processorSeconds()
    await work()
    return bytes / 1e6 / (processorSeconds() - start)
  }
}
