// Our tokenizer in a separate process, as the libraries of peers/rust_tokenizers.py: node own-ids.mjs TOKENIZER_JSON
// [ENCODING]. Answers each JSON line, a list of texts, with { seconds, ids }: processor time, all threads' together.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { driveAsync } from '../../../build/src/first-layer/running/drive.js'
import { bytePairTokenizer } from '../../../build/src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../../../build/src/first-layer/tokens/encoding.js'
import { tokenizeText } from '../../../build/src/first-layer/tokens/tokenize.js'
import { readTokenizerFiles } from '../../../build/src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { processorSeconds } from '../harness/processor-time.mjs'

const [file, encoding] = process.argv.slice(2)
const tokenizer = encoding ? await loadEncoding(encoding) : await ofFile()
const options = { allowedSpecial: new Set() }
console.log('{}')
for await (const line of createInterface({ input: process.stdin })) {
  const texts = JSON.parse(line)
  const start = processorSeconds()
  const found = []
  for (const text of texts) found.push(await driveAsync(tokenizeText(tokenizer, text, options)))
  const seconds = processorSeconds() - start
  console.log(JSON.stringify({ seconds, ids: found.map((ids) => [...ids]) }))
}

function ofFile() {
  const { kind, spec } = readTokenizerFiles({ tokenizer: readFileSync(file, 'utf8') })
  if (kind !== 'byte_pair') throw new Error(`${file} is none that our encoder does`)
  return driveAsync(bytePairTokenizer(spec))
}
