// A tokenizer in a separate process, as those of peers/rust_tokenizers.py: node node-ids.mjs LIBRARY TOKENIZER_JSON
// ENCODING (empty: it is only in the file). Answers each JSON line, a list of texts, with { seconds, ids }: processor
// time, all threads' together.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { bytePairTokenizer } from '../../../build/src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../../../build/src/first-layer/tokens/encoding.js'
import { tokenizeAsync } from '../../../build/src/first-layer/tokens/tokenize.js'
import { readTokenizerFiles } from '../../../build/src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { wordPieceTokenizer } from '../../../build/src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { importRival } from '../harness/npm-rivals.mjs'
import { processorSeconds } from '../harness/processor-time.mjs'

const [library, file, encoding] = process.argv.slice(2)
const NONE = new Set()

const MAKE = {
  async Inlet() {
    const tokenizer = encoding ? await loadEncoding(encoding) : ofFile()
    return (text) => tokenizeAsync(tokenizer, text, { allowedSpecial: NONE })
  },
  async 'gpt-tokenizer'() {
    const { encode } = await importRival(`gpt-tokenizer/encoding/${encoding}`)
    return (text) => encode(text, { disallowedSpecial: NONE })
  },
  async 'npm tiktoken'() {
    const { get_encoding } = await importRival('tiktoken')
    const made = get_encoding(encoding)
    return (text) => made.encode_ordinary(text)
  },
}

function ofFile() {
  const { kind, spec } = readTokenizerFiles({ tokenizer: readFileSync(file, 'utf8') })
  if (kind === 'wordpiece') return wordPieceTokenizer(spec)
  return bytePairTokenizer(kind === 'byte_pair' ? spec : spec.encoder)
}

const encode = await MAKE[library]()
console.log('{}')
for await (const line of createInterface({ input: process.stdin })) {
  const texts = JSON.parse(line)
  const start = processorSeconds()
  const found = []
  for (const text of texts) found.push(await encode(text))
  const seconds = processorSeconds() - start
  console.log(JSON.stringify({ seconds, ids: found.map((ids) => [...ids]) }))
}
