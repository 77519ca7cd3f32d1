import { loadBuiltFile } from '../package-file.js'
import { specialToken } from './added-tokens.js'
import { BytePairKernel } from './byte-pair/byte-pair-kernel.js'
import { DocumentStream } from './byte-pair/document-stream.js'
import { tokenizeKernel } from './byte-pair/kernel-tables.js'
import { Literals } from './byte-pair/literals.js'
import { patternTable } from './byte-pair/pattern-table.js'
import { PlainSegments } from './byte-pair/segments.js'
import { ENCODINGS, type EncodingName, PATTERNS } from './encodings.js'
import { allowedLiterals } from './tokenize.js'
import type { ByteTokenizer } from './tokenizer.js'
import { textOfToken, vocabularyOf } from './vocabulary.js'

const loaded = new Map<EncodingName, Promise<ByteTokenizer>>()

/**
 * The tokenizer of the encoding of that name, loaded at first use and kept: one per thread.
 *
 * @param pause called between two slices of the loading, which takes tens of milliseconds
 */
export function loadEncoding(
  name: EncodingName,
  pause?: () => Promise<void> | undefined,
): Promise<ByteTokenizer> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = load(name, pause)
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

async function load(
  name: EncodingName,
  pause: (() => Promise<void> | undefined) | undefined,
): Promise<ByteTokenizer> {
  const { merged, specialTokens } = await readRankFile(name)
  const pattern = patternTable([PATTERNS[ENCODINGS[name].pattern]])!
  const kernel = new BytePairKernel(await tokenizeKernel({ pattern, merged }, pause))
  const endOfText = specialTokens.get('<|endoftext|>')
  const vocabulary = vocabularyOf(merged.bytes, merged.offsets, specialTokens)
  return {
    encoding: name,
    vocabSize: vocabulary.size,
    ...{ endOfText, marks: { endoftext: endOfText, eos: endOfText } },
    specialTokens,
    isLossless: true,
    vocabulary,
    encodeShort: (text, { allowedSpecial }, ids) =>
      !containsAny(text, allowedSpecial) && kernel.encodeShort(text, ids),
    stream: ({ allowedSpecial }) =>
      new DocumentStream(new PlainSegments(kernel), literalsOf(specialTokens, allowedSpecial)),
    tokenText: (id) => textOfToken(vocabulary, id),
  }
}

function literalsOf(specialTokens: ReadonlyMap<string, number>, allowed: ReadonlySet<string>): Literals {
  return new Literals(
    allowedLiterals(specialTokens, allowed).map(({ literal, id }) => specialToken(literal, id)),
  )
}

function containsAny(text: string, literals: ReadonlySet<string>): boolean {
  for (const literal of literals) if (text.includes(literal)) return true
  return false
}

const NEWLINE = 0x0a

/**
 * Reads `dist/ranks/NAME.bin`, which the build writes (build.mjs): in the first line as JSON the special tokens, literal → id,
 * and the number of ids; then each token's length in a byte, 0 for a hole, and the bytes of all.
 *
 * @throws Error if it has not been built
 */
async function readRankFile(name: EncodingName) {
  const file = await loadBuiltFile(`ranks/${name}.bin`)
  const start = file.indexOf(NEWLINE) + 1
  const head = JSON.parse(file.toString('utf8', 0, start))
  const { special, size } = head as { special: Record<string, number>; size: number }
  const offsets = new Uint32Array(size + 1)
  for (let id = 0; id < size; id++) offsets[id + 1] = offsets[id] + file[start + id]
  const merged = { bytes: file.subarray(start + size), offsets }
  return { merged, specialTokens: new Map(Object.entries(special)) }
}
