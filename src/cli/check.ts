import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { packageFile } from '../first-layer/package-file.js'
import { bytePairTokenizer } from '../first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { loadEncoding } from '../first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../first-layer/tokens/encodings.js'
import { loadLibrary } from '../first-layer/tokens/rust/open-file.js'
import { tokenizeAsync } from '../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import {
  readTokenizerFiles,
  TOKENIZER_FILES,
  type TokenizerFile,
} from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { invalidUtf8Offset } from '../first-layer/tokens/unicode/utf8.js'
import { bytesOfToken } from '../first-layer/tokens/vocabulary.js'
import { wordPieceTokenizer } from '../first-layer/tokens/wordpiece/wordpiece-tokenizer.js'
import { type Call, type Command, CommandError, failing } from './program.js'
import { columns, numberText, visible } from './terminal.js'

/** UTF-16 units of the parts in which a text is compared: the library holds some hundred bytes for each. */
const PART = 1 << 18
/** How long each encodes the text, over and over. */
const MEASURED_MS = 1000

/** `inlet check`: whether our ids of a text are the Rust library's, and how fast both are. */
export const check: Command = {
  name: 'check',
  summary:
    'Compares our ids of a text with those of the Rust library, and both speeds: check FOLDER|tokenizer.json [FILE]. Or two tokenizers: check A B FILE.',
  takes: '<FOLDER|tokenizer.json> [OTHER] [FILE]',
  examples: [
    'inlet check models/qwen3',
    'inlet check tokenizer.json book.txt',
    'inlet check models/mine gpt2 book.txt',
  ],
  flags: {},
  async run({ files, signal }: Call) {
    const [path, textPath, third] = files
    if (third !== undefined) return compare([path!, textPath!], await readText(third), signal)
    const read = await filesOf(path!)
    const library = await loadLibrary()
    if (typeof library === 'string') throw new CommandError(`There is nothing to compare with: ${library}.`)
    const ours = await tokenizerOf(read)
    if (ours === undefined) {
      const component = read.kind === 'foreign' ? read.spec.component : read.kind
      return void process.stdout.write(`The Rust library itself encodes this file: ${visible(component)}.\n`)
    }
    const rust = library.Tokenizer.fromString(read.json)
    const name = textPath ?? packageFile('docs/sample.txt')
    const text = await readText(name)
    const options = { allowedSpecial: new Set(ours.specialTokens.keys()) }
    const own = async (part: string) => [...(await tokenizeAsync(ours, part, options))]
    const theirs = (part: string) => rust.encode(part, null, { addSpecialTokens: false })

    let count = 0
    let characters = 0
    const parts = partsOf(text)
    for (const part of parts) {
      signal.throwIfAborted()
      const [ids, encoding] = [await own(part), await theirs(part)]
      const expected = encoding.getIds()
      const place = firstDifference(ids, expected)
      if (place !== undefined) {
        const character = characters + (encoding.getOffsets()[place]?.[0] ?? [...part].length)
        const at = `id ${count + place}, at character ${character} of the text`
        throw new CommandError(
          `${at}: Inlet has ${shown(ids[place], ours.tokenText(ids[place] ?? -1))}, the Rust library ${shown(expected[place], encoding.getTokens()[place])}.`,
        )
      }
      count += ids.length
      characters += [...part].length
    }
    const bytes = Buffer.byteLength(text)
    const [fast, slow] = [await speed(bytes, parts, own), await speed(bytes, parts, theirs)]
    process.stdout.write(
      `${count} ids of ${bytes} bytes of ${basename(String(name))}: equal to the Rust library's\n` +
        `Inlet ${fast.toFixed(1)} MB/s, the Rust library ${slow.toFixed(2)} MB/s: ${(fast / slow).toFixed(1)} ×\n`,
    )
  },
}

/** Two tokenizers, folders or encodings, beside each other on one text. */
async function compare(names: readonly [string, string], text: string, signal: AbortSignal): Promise<void> {
  const { modelTokenizer } = await import('./local-models.js')
  const tokenizers = await Promise.all(
    names.map((name) => {
      const encoding = ENCODING_NAMES.find((each) => each === name)
      return encoding
        ? loadEncoding(encoding)
        : modelTokenizer(name.replace(/\/?tokenizer\.json$/, '') || '.')
    }),
  )
  const counts = [0, 0]
  let line = 1
  let different: readonly string[] | undefined
  for (const part of partsOf(text)) {
    signal.throwIfAborted()
    const cuts = await Promise.all(tokenizers.map((tokenizer) => tokensOf(tokenizer, part)))
    for (const [i, tokens] of cuts.entries()) counts[i] += tokens.length
    const place = firstDifference(cuts[0], cuts[1])
    if (place !== undefined && different === undefined) {
      const same = cuts[0].slice(0, place)
      const start = same.findLastIndex((token) => token.includes('\n')) + 1
      const lines = cuts.map((tokens) => {
        const end = tokens.findIndex((token, i) => i >= place && token.includes('\n'))
        return visible(tokens.slice(start, end < 0 ? undefined : end + 1).join('|'))
      })
      different = ['', `Line ${line + same.join('').split('\n').length - 1}:`, ...lines]
    }
    line += part.split('\n').length - 1
  }
  const bytes = Buffer.byteLength(text)
  const rows = tokenizers.map(({ vocabSize }, i) => [
    ...[visible(names[i]), numberText(counts[i]), (bytes / counts[i] || 0).toFixed(3), numberText(vocabSize)],
  ])
  const table = columns([['', 'tokens', 'bytes a token', 'vocabulary'], ...rows], (column) => column > 0)
  process.stdout.write(
    `${[...table, ...(different ?? ['Both cut the text at the same places.'])].join('\n')}\n`,
  )
}

/** The tokens of a text as they are written: bytes that are no character of their own are `\\xe2`. */
async function tokensOf(tokenizer: Tokenizer, text: string): Promise<string[]> {
  const allowedSpecial = new Set(tokenizer.specialTokens.keys())
  const ids = await tokenizeAsync(tokenizer, text, { allowedSpecial })
  return [...ids].map((id) => {
    const bytes = tokenizer.vocabulary && bytesOfToken(tokenizer.vocabulary, id)
    const hex = (byte: number) => `\\x${byte.toString(16).padStart(2, '0')}`
    return tokenizer.tokenText(id) ?? Array.from(bytes ?? [], hex).join('')
  })
}

/** The first place at which the ids differ; undefined: they are equal. */
export function firstDifference<T>(ids: readonly T[], expected: readonly T[]): number | undefined {
  const place = [...ids, undefined].findIndex((id, i) => id !== expected[i])
  return place < 0 ? undefined : place
}

/** An id and its piece: `262 " the"`. */
function shown(id: number | undefined, piece: string | null | undefined): string {
  return id === undefined ? 'no id' : `${id} ${JSON.stringify(piece ?? null)}`
}

async function filesOf(path: string): Promise<TokenizerFile & { readonly json: string }> {
  const isFile = path.endsWith('.json')
  const folder = isFile ? dirname(path) : path
  const tokenizer = await readText(isFile ? path : join(folder, TOKENIZER_FILES.tokenizer))
  const config = await readFile(join(folder, TOKENIZER_FILES.config), 'utf8').catch(() => undefined)
  const json = JSON.stringify({ ...JSON.parse(tokenizer), truncation: null, padding: null })
  return { ...readTokenizerFiles({ tokenizer, config }), json }
}

async function readText(path: string | URL): Promise<string> {
  const bytes = await readFile(path).catch(failing(`${path} cannot be read`))
  const invalid = invalidUtf8Offset(bytes)
  if (invalid >= 0) throw new CommandError(`${path} must be UTF-8: byte ${invalid} is not.`)
  return bytes.toString()
}

/** Our own encoder; undefined where the library encodes. */
async function tokenizerOf(read: TokenizerFile): Promise<Tokenizer | undefined> {
  if (read.kind === 'wordpiece') return wordPieceTokenizer(read.spec)
  const spec = read.kind === 'byte_pair' ? read.spec : read.spec.encoder
  return spec && bytePairTokenizer(spec)
}

/** The text in parts of whole lines, each of which begins with no blank: no token reaches over two. */
function partsOf(text: string): string[] {
  const parts: string[] = []
  for (let start = 0; start < text.length; start += parts.at(-1)!.length) {
    const end = start + PART + text.slice(start + PART).search(/(?<=\n)(?=\S)/)
    parts.push(text.slice(start, end < start + PART ? undefined : end))
  }
  return parts
}

/** MB/s of the fastest of the rounds. */
async function speed(bytes: number, parts: string[], encode: (part: string) => Promise<unknown>) {
  let least = Number.POSITIVE_INFINITY
  for (const began = performance.now(); performance.now() - began < MEASURED_MS; ) {
    const start = performance.now()
    for (const part of parts) await encode(part)
    least = Math.min(least, performance.now() - start)
  }
  return bytes / least / 1000
}
