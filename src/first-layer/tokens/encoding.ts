import { loadBuiltFile } from '../package-file.js'
import { specialToken } from './added-tokens.js'
import { BytePairKernel } from './byte-pair/byte-pair-kernel.js'
import { DocumentStream } from './byte-pair/document-stream.js'
import { KernelTables } from './byte-pair/kernel-tables.js'
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
  const { ranks, specialTokens } = await readRankFile(name)
  const tables = new KernelTables(pause)
  await tables.readRanks(ranks)
  const kernel = new BytePairKernel(await tables.build(patternTable([PATTERNS[ENCODINGS[name].pattern]])!))
  const { bytes, offsets } = tables.tokens
  const endOfText = specialTokens.get('<|endoftext|>')
  const vocabulary = vocabularyOf(bytes, offsets, specialTokens)
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

/** An encoding's data from js-tiktoken. */
interface RankFile {
  /** Lines of `! FIRST_RANK TOKEN TOKEN …`, the tokens in base64. */
  readonly ranks: Uint8Array
  /** Literal → id. */
  readonly specialTokens: ReadonlyMap<string, number>
}

const NEWLINE = 0x0a

/**
 * Reads `dist/ranks/NAME.txt`: the special tokens as JSON in the first line, then the ranks. The build writes it from
 * js-tiktoken's module (build.mjs), whose import would block the event loop for twenty milliseconds.
 *
 * @throws Error if it has not been built
 */
async function readRankFile(name: EncodingName): Promise<RankFile> {
  const file = await loadBuiltFile(`ranks/${name}.txt`)
  const end = file.indexOf(NEWLINE)
  const special = JSON.parse(file.toString('utf8', 0, end)) as Record<string, number>
  return { ranks: file.subarray(end + 1), specialTokens: new Map(Object.entries(special)) }
}
