import { readFileSync } from 'node:fs'
import tokenizers from 'tokenizers'
import { driveAsync } from '../../build/src/first-layer/running/drive.js'
import { tokenizeText } from '../../build/src/first-layer/tokens/tokenize.js'
import { readTokenizerFiles } from '../../build/src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { WordPieceTokenizer } from '../../build/src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { figure, times } from './harness/text.mjs'
import { CORPUS_NAMES, corpus, TEXTS_NOTE } from './tokenizers/corpora.mjs'

const GOLDEN = new URL('../goldens/tokenizers/wordpiece-uncased.json', import.meta.url)
const CHUNK = 4096 // characters
const FLOOR = 5

/** Text to ids by WordPiece, beside the Rust library, on chunks of 4,096 characters: one thread each. */
export async function bench({ rounds, quick, say }) {
  const json = readFileSync(process.env.WORDPIECE ?? GOLDEN, 'utf8')
  const ours = new WordPieceTokenizer(readTokenizerFiles({ tokenizer: json }).spec)
  const rust = tokenizers.Tokenizer.fromString(json)
  rust.disableTruncation()
  rust.disablePadding()
  const options = { allowedSpecial: new Set(ours.specialTokens.keys()) }

  const rows = []
  const floors = []
  for (const name of CORPUS_NAMES) {
    const text = corpus(name)
    const chunks = []
    for (let start = 0; start < text.length; start += CHUNK)
      chunks.push(text.slice(start, start + CHUNK).toWellFormed())
    const few = quick ? chunks.slice(0, 60) : chunks
    const megabytes = few.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0) / 1e6
    const timed = (encode) => async () => {
      const began = performance.now()
      for (const chunk of few) await encode(chunk)
      return megabytes / ((performance.now() - began) / 1000)
    }
    const figures = await takeTurns(rounds, {
      Inlet: timed((chunk) => driveAsync(tokenizeText(ours, chunk, options))),
      Rust: timed(async (chunk) => (await rust.encode(chunk, null, { addSpecialTokens: false })).getIds()),
    })
    const beside = ratio(figures.Inlet, figures.Rust)
    rows.push([name, figure(median(figures.Inlet)), figure(median(figures.Rust)), times(beside)])
    say(rows.at(-1).join(' | '))
    if (name === 'prose') floors.push(atLeast('prose, beside the Rust library', beside.middle, FLOOR))
  }
  return {
    title: 'WordPiece, text to ids, in MB/s of UTF-8',
    notes: [
      'Chunks of 4,096 characters, one after the other. The Rust library: npm `tokenizers`, `encode` and `getIds`.',
      ...(TEXTS_NOTE ? [TEXTS_NOTE] : []),
    ],
    head: ['text', 'Inlet', 'Rust library', 'ratio'],
    rows,
    floors,
  }
}
