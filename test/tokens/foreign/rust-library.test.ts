import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ForeignClient } from '../../../src/tokens/foreign/foreign-client.js'
import { ForeignTokenizer, MAX_FOREIGN_TEXT_BYTES } from '../../../src/tokens/foreign/foreign-tokenizer.js'
import { startForeignThread } from '../../../src/tokens/foreign/start-foreign-thread.js'
import { tokenizeBytes, tokenizeText } from '../../../src/tokens/tokenize.js'
import { readTokenizerFiles, type TokenizerTexts } from '../../../src/tokens/tokenizer-file/read.js'
import { checkProperty } from '../../property.js'
import { RustLibrary, tokenizerFile } from '../rust-library.js'
import { tokenizerTexts } from '../tokenizer-texts.js'

const RUNS = 300
const { client, worker } = startForeignThread()
let nextKey = 1

afterAll(async () => {
  await worker.terminate()
})

async function open(texts: TokenizerTexts, by: ForeignClient = client): Promise<ForeignTokenizer> {
  const file = readTokenizerFiles(texts, () => undefined)
  if (file.kind !== 'foreign') throw new Error(`not foreign: ${file.kind}`)
  const key = String(nextKey++)
  await by.open(key, file.json)
  return new ForeignTokenizer(by, key, file.spec)
}

const allOf = (tokenizer: ForeignTokenizer) => new Set(tokenizer.specialTokens.keys())

test.each(['unigram', 'sentencepiece-bpe', 'wordlevel'])(
  '%s: ids and byte ranges of random texts are the library’s',
  async (name) => {
    const json = tokenizerFile(name)
    const oracle = new RustLibrary(json)
    const tokenizer = await open({ tokenizer: json })
    const property = fc.asyncProperty(tokenizerTexts, fc.boolean(), async (text, addSpecialTokens) => {
      const options = { allowedSpecial: allOf(tokenizer), addSpecialTokens, ranges: true }
      const ids = await tokenizeText(tokenizer, text, options)
      const found = { ids: [...ids], ranges: [...(ids.ranges ?? [])] }
      expect(found).toEqual(await oracle.encode(text, addSpecialTokens))
      expect(ids.characters).toBe([...text].length)
    })
    await checkProperty(property, RUNS)
  },
)
