// Writes ../../unicode/tables/rust-*.leb128: `node src/first-layer/tokens/wordpiece/unicode/generate.mjs`.
//
// The Rust library classifies characters with four crates (unicode_categories, unicode-normalization-alignments, regex
// and Rust's `char`), each with a Unicode version of its own. This script runs the library on every code point and
// freezes the answers: ids must be the library's, in every version of Node.
import { writeFileSync } from 'node:fs'
import tokenizers from 'tokenizers'

const LAST = 0x10ffff
const HANGUL = [0xac00, 0xd7a3]

const isSurrogate = (codePoint) => codePoint >= 0xd800 && codePoint <= 0xdfff
const bert = (on) =>
  tokenizers.bertNormalizer({
    ...{ cleanText: false, handleChineseChars: false, stripAccents: false, lowercase: false },
    ...on,
  })
const clean = bert({ cleanText: true })
const strip = bert({ stripAccents: true })
const nfd = tokenizers.nfdNormalizer()
const lower = tokenizers.lowercase()
const preTokenizer = tokenizers.bertPreTokenizer()

/** Whether the library's `\w` matches: a single-word token is not found before such a character. */
async function wordCharacters(characters) {
  const added = { id: 1, content: '@', single_word: true, lstrip: false, rstrip: false }
  const tokenizer = tokenizers.Tokenizer.fromString(
    JSON.stringify({
      version: '1.0',
      added_tokens: [{ ...added, normalized: false, special: true }],
      pre_tokenizer: null,
      model: { type: 'WordLevel', vocab: { '[UNK]': 0, '@': 1 }, unk_token: '[UNK]' },
    }),
  )
  const encodings = await tokenizer.encodeBatch(characters.map((character) => `@${character}`))
  return encodings.map((encoding) => encoding.getIds()[0] !== 1)
}

const bytes = { classes: [], 'combining-orders': [], decompositions: [], lowercase: [] }

function leb128(out, number) {
  let value = number
  for (; value > 127; value >>>= 7) out.push((value & 127) | 128)
  out.push(value)
}

const classes = new Uint8Array(LAST + 1)
const nonstarters = []
let lastDecomposed = 0
let lastLowered = 0
for (let start = 0; start <= LAST; start += 4096) {
  const codePoints = Array.from({ length: 4096 }, (_, i) => start + i).filter((c) => !isSurrogate(c))
  const words = await wordCharacters(codePoints.map((c) => String.fromCodePoint(c)))
  codePoints.forEach((codePoint, i) => {
    const character = String.fromCodePoint(codePoint)
    const decomposed = nfd.normalizeString(character)
    const pieces = preTokenizer.preTokenizeString(`a${character}b`).length
    const isWhole = decomposed === character
    // In the order of `Bit` in character-facts.ts.
    classes[codePoint] =
      (clean.normalizeString(character) === '' ? 1 : 0) |
      (isWhole && strip.normalizeString(character) === '' ? 2 : 0) |
      (pieces === 3 ? 4 : 0) |
      (words[i] ? 8 : 0) |
      (pieces === 2 ? 16 : 0)
    if (isWhole && isReordered(character)) nonstarters.push(character)
    if (!isWhole && (codePoint < HANGUL[0] || codePoint > HANGUL[1])) {
      list(bytes.decompositions, codePoint - lastDecomposed, decomposed)
      lastDecomposed = codePoint
    }
    const lowered = lower.normalizeString(character)
    if (lowered !== character) {
      list(bytes.lowercase, codePoint - lastLowered, lowered)
      lastLowered = codePoint
    }
  })
}

/** U+0345 has the highest combining class, 240, and U+0334 the lowest, 1: NFD swaps any other nonstarter with one. */
function isReordered(character) {
  const behind = `\u0345${character}`
  const before = `${character}\u0334`
  return nfd.normalizeString(behind) !== behind || nfd.normalizeString(before) !== before
}

function list(out, delta, text) {
  const codePoints = [...text].map((character) => character.codePointAt(0))
  for (const number of [delta, codePoints.length, ...codePoints]) leb128(out, number)
}

for (let start = 0; start <= LAST; ) {
  let end = start + 1
  while (end <= LAST && classes[end] === classes[start]) end++
  leb128(bytes.classes, (end - start) * 32 + classes[start])
  start = end
}

// Combining classes by rank, 1, 2, 3 …: only their order matters.
const isBefore = (a, b) => nfd.normalizeString(b + a) === a + b && a + b !== b + a
nonstarters.sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0))
const order = new Map()
nonstarters.forEach((character, i) => {
  const before = nonstarters[i - 1]
  order.set(character, i === 0 ? 1 : order.get(before) + (isBefore(before, character) ? 1 : 0))
})
let lastNonstarter = 0
for (const [character, number] of [...order].sort(([a], [b]) => a.codePointAt(0) - b.codePointAt(0))) {
  leb128(bytes['combining-orders'], character.codePointAt(0) - lastNonstarter)
  leb128(bytes['combining-orders'], number)
  lastNonstarter = character.codePointAt(0)
}

for (const [name, data] of Object.entries(bytes))
  writeFileSync(new URL(`../../unicode/tables/rust-${name}.leb128`, import.meta.url), Buffer.from(data))
