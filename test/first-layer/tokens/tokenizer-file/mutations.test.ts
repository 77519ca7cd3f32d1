import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TokenBuffer } from '../../../../src/first-layer/tokens/token-buffer.js'
import {
  readTokenizerFiles,
  type TokenizerTexts,
} from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import {
  type WordPieceTokenizer,
  wordPieceTokenizer,
} from '../../../../src/first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { InletError } from '../../../../src/service/answer/error-table.js'
import { checkProperty } from '../../../property.js'
import { tokenizerFile } from '../rust-library.js'

/** So many that chance does not decide the counts at the end. A hundred times as many: `FAST_CHECK_TIMES=100`. */
const RUNS = { tree: 3000, text: 1000 }
const TIMES = Number(process.env.FAST_CHECK_TIMES ?? 1)

const FILES = ['wordpiece-uncased', 'wordpiece-added', 'unigram', 'sentencepiece-bpe', 'wordlevel'].map(
  (name) => {
    const file = JSON.parse(tokenizerFile(name))
    // Few tokens: most mutations then meet something else than the vocabulary.
    const { vocab } = file.model
    file.model.vocab = Array.isArray(vocab)
      ? vocab.slice(0, 30)
      : Object.fromEntries(Object.entries(vocab).slice(0, 30))
    if (file.model.merges) file.model.merges = file.model.merges.slice(0, 5)
    return JSON.stringify(file)
  },
)
const CONFIG = JSON.stringify({
  ...{ add_bos_token: true, bos_token: '<s>', eos_token: { content: '[SEP]' }, pad_token: null },
  ...{ cls_token: '[CLS]', add_eos_token: false },
})

const LONG = 'x'.repeat(2000)
const NUMBERS = [0, -1, 1, 0.5, 101, 2 ** 24, 2 ** 31, 2 ** 53, 1e300, -0]
const STRINGS = ['', 'a', 'WordPiece', 'BPE', '[UNK]', '\ud800', '__proto__', 'constructor', '\0', LONG]
const value = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, ...NUMBERS, ...STRINGS, [], {}, [[]], [null], { id: 1 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Chooses a place: a share of the number of places. */
const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

/** Puts `with_` in a place of a JSON text, deletes the place, or doubles it. */
function mutateTree(text: string, places: number[], with_: unknown, how: number): string {
  const root = JSON.parse(text) as Record<string, unknown>
  for (const place of places) {
    let node = root
    for (let depth = 0; ; depth++) {
      const keys = Object.keys(node)
      if (keys.length === 0) break
      const key = keys[Math.floor(((place * 7919 ** depth) % 1) * keys.length)]!
      const child = node[key]
      if (typeof child === 'object' && child !== null && (place * 31 ** (depth + 1)) % 1 < 0.85) {
        node = child as Record<string, unknown>
        continue
      }
      if (how === 0) delete node[key]
      else if (how === 1 && Array.isArray(node)) node.push(structuredClone(child))
      else node[key] = structuredClone(with_)
      break
    }
  }
  return JSON.stringify(root)
}

/** Changes, takes out or repeats characters of a text. */
function mutateText(text: string, places: number[], with_: string, how: number): string {
  let result = text
  for (const place of places) {
    const at = Math.floor(place * result.length)
    const removed = how === 0 ? 1 : how === 1 ? Math.floor(place * 50) : 0
    result = result.slice(0, at) + with_ + result.slice(at + removed)
  }
  return result
}

/** Reads the files to a tokenizer or an error that names them. Throws any other error. */
function outcome(texts: TokenizerTexts): string {
  try {
    const file = readTokenizerFiles(texts)
    structuredClone(file)
    if (file.kind === 'wordpiece') encode(wordPieceTokenizer(file.spec))
    return file.kind
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    expect(error.code).toBe('model_failed')
    expect(error.message).toMatch(/^(tokenizer|tokenizer_config|special_tokens_map)\.json.* must /)
    expect(error.message.length).toBeLessThan(500)
    expect(error.message.isWellFormed()).toBe(true)
    return 'refused'
  }
}

function encode(tokenizer: WordPieceTokenizer): void {
  const allowedSpecial = new Set(tokenizer.specialTokens.keys())
  const stream = tokenizer.stream({ allowedSpecial, addSpecialTokens: true, ranges: true })
  stream.write(Buffer.from('Größe <mask> [UNK] the 中文 e\u0301 zzzz'))
  stream.end()
  const ids = new TokenBuffer()
  while (stream.advance(ids));
  for (const id of ids) expect(id).toBeLessThan(tokenizer.vocabSize)
}

test.each(['tree', 'text'] as const)(
  'files mutated as %s are read or refused by name',
  async (kind) => {
    const runs = RUNS[kind]
    const outcomes = new Map<string, number>()
    const property = fc.property(
      fc.constantFrom(...FILES),
      fc.constantFrom(0, 0, 0, 1, 2),
      fc.array(share, { minLength: 1, maxLength: 3 }),
      value,
      fc.nat(3),
      (tokenizer, which, places, replacement, how) => {
        const mutate = (text: string) =>
          kind === 'tree'
            ? mutateTree(text, places, replacement, how)
            : mutateText(text, places, String(JSON.stringify(replacement)).slice(0, 20), how)
        const found = outcome({
          tokenizer: which === 0 ? mutate(tokenizer) : tokenizer,
          config: which === 1 ? mutate(CONFIG) : undefined,
          specialTokensMap: which === 2 ? mutate(CONFIG) : undefined,
        })
        outcomes.set(found, (outcomes.get(found) ?? 0) + 1)
      },
    )
    await checkProperty(property, runs)
    // The mutations reach both ends.
    expect(outcomes.get('refused')).toBeGreaterThan(runs / 25)
    if (kind === 'tree') expect(outcomes.get('wordpiece')).toBeGreaterThan(runs / 100)
  },
  60_000 * TIMES,
)
