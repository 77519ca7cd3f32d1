import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawing } from '../../attacks/harness/random.mjs'

const LETTERS = 'etaoinshrdlucmfwypvbgkjqxzéüж'

/**
 * Shards of words, drawn from a seed: each differs in content and size.
 *
 * @param {{ folder: string, shards: number, bytes: number, seed: number, lines?: boolean }} corpus lines: a document is a
 *   line of JSON, `{"id": "part-0003:17", "text"}`; else a line of text
 * @returns {string[]} the files' paths
 */
export function writeCorpus({ folder, shards, bytes, seed, lines = false }) {
  const { upTo, random } = drawing(seed)
  const word = () =>
    Array.from({ length: 1 + upTo(9) }, () => LETTERS[Math.floor(29 * random() ** 2)]).join('')
  const words = Array.from({ length: 5000 }, word)
  const sentence = () =>
    `${Array.from({ length: 5 + upTo(60) }, () => words[Math.floor(5000 * random() ** 2)]).join(' ')}.`
  const pieces = Array.from({ length: 64 }, () => Array.from({ length: 800 }, sentence))
  const joined = pieces.map((piece) => Buffer.from(`${piece.join('\n')}\n`))
  const shares = Array.from({ length: shards }, () => 0.5 + random())
  const sum = shares.reduce((a, b) => a + b)
  mkdirSync(folder, { recursive: true })
  return shares.map((share, i) => {
    const name = `part-${String(i).padStart(4, '0')}`
    const chunks = [Buffer.from(lines ? '' : `shard ${i}\n`)]
    let length = 0
    for (let documents = 0; length < (share / sum) * bytes; length += chunks.at(-1).length) {
      const at = upTo(pieces.length)
      chunks.push(lines ? jsonOf(pieces[at], name, documents) : joined[at])
      documents += pieces[at].length
    }
    const path = join(folder, `${name}.${lines ? 'jsonl' : 'txt'}`)
    writeFileSync(path, Buffer.concat(chunks))
    return path
  })
}

/** Ids sort as the documents stand: shard, then line. */
function jsonOf(texts, name, first) {
  const line = (text, i) =>
    JSON.stringify({ id: `${name}:${String(first + i).padStart(9, '0')}`, text: `${name} ${text}` })
  return Buffer.from(`${texts.map(line).join('\n')}\n`)
}

/** Bytes of files. */
export const bytesOf = (paths) => paths.reduce((sum, path) => sum + statSync(path).size, 0)

// node corpus.mjs FOLDER MEGABYTES SHARDS: lines of JSON
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, megabytes, shards] = process.argv.slice(2)
  writeCorpus({ folder, shards: Number(shards), bytes: Number(megabytes) * 1e6, seed: 1, lines: true })
}
