// A byte-level BPE trainer to be read: node examples/first-merges.mjs FILE NUMBER
//
// Prints the first NUMBER merges of the text, one a line, as Hugging Face's BpeTrainer and `inlet train-tokenizer` make
// them with their defaults. A blank is written Ġ, a line end Ċ, as in tokenizer.json.
import { readFileSync } from 'node:fs'

const [file, number] = process.argv.slice(2)
if (!file || !(number >= 0)) throw new Error('usage: node examples/first-merges.mjs FILE NUMBER')

// 1. The text is cut into pieces, and no merge crosses from one to the next: words with the blank before them, up to three
//    digits, signs, blanks. This is the pattern of GPT-4.
const space = '\\p{White_Space}'
const pattern = new RegExp(
  [
    "'(?:[sSſ]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])",
    '[^\\r\\n\\p{L}\\p{N}]?\\p{L}+',
    '\\p{N}{1,3}',
    ` ?[^${space}\\p{L}\\p{N}]+[\\r\\n]*`,
    `${space}*[\\r\\n]+`,
    `${space}+(?!\\P{White_Space})`,
    `${space}+`,
  ].join('|'),
  'gu',
)
const pieces = new Map() // piece → how often it comes
for (const [piece] of readFileSync(file, 'utf8').matchAll(pattern))
  pieces.set(piece, (pieces.get(piece) ?? 0) + 1)

// 2. Each piece is a row of tokens, at first its bytes. Id 0 is <|endoftext|>, then come the 256 bytes in the order of the
//    characters that stand for them: bytes that print stand for themselves, the others for characters from 256 on.
const isPrinted = (byte) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173)
const characters = []
let next = 256
for (let byte = 0; byte < 256; byte++) characters.push(String.fromCharCode(isPrinted(byte) ? byte : next++))
const vocabulary = ['<|endoftext|>', ...[...characters].sort()]
const idOf = new Map(vocabulary.map((token, id) => [token, id]))
const words = [...pieces].map(([piece, count]) => ({
  ids: Array.from(Buffer.from(piece), (byte) => idOf.get(characters[byte])),
  count,
}))

// 3. Every two neighbours are a pair. Each pair knows how often it comes, and in which words.
const pairs = new Map() // "left right" → { left, right, count, words }
function count(word, sign) {
  for (let i = 1; i < word.ids.length; i++) {
    const [left, right] = [word.ids[i - 1], word.ids[i]]
    const key = `${left} ${right}`
    if (!pairs.has(key)) pairs.set(key, { left, right, count: 0, words: new Set() })
    const pair = pairs.get(key)
    pair.count += sign * word.count
    pair.words.add(word)
    if (pair.count === 0) pairs.delete(key)
  }
}
for (const word of words) count(word, 1)

// 4. Again and again the most frequent pair becomes a token; of equally frequent ones that with the smallest ids.
for (let done = 0; done < number && pairs.size > 0; done++) {
  let best
  for (const pair of pairs.values()) if (!best || isBefore(pair, best)) best = pair
  console.log(vocabulary[best.left], vocabulary[best.right])
  const id = vocabulary.push(vocabulary[best.left] + vocabulary[best.right]) - 1
  for (const word of best.words) {
    count(word, -1)
    word.ids = merged(word.ids, best, id)
    count(word, 1)
  }
}

function isBefore(a, b) {
  if (a.count !== b.count) return a.count > b.count
  return a.left === b.left ? a.right < b.right : a.left < b.left
}

/** a a a with the pair (a, a) → aa a: from the left. */
function merged(ids, { left, right }, id) {
  const row = []
  for (let i = 0; i < ids.length; i++) {
    const isPair = ids[i] === left && ids[i + 1] === right
    row.push(isPair ? id : ids[i])
    if (isPair) i++
  }
  return row
}
