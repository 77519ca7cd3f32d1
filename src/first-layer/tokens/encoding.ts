import { runAsync, type Steps, waitFor } from '../steps.js'
import { specialToken } from './added-token.js'
import { allowedLiterals } from './allowed-special.js'
import { BytePairKernel } from './byte-pair/byte-pair-kernel.js'
import { DocumentStream } from './byte-pair/document-stream.js'
import { KernelTables } from './byte-pair/kernel-tables.js'
import { Literals } from './byte-pair/literals.js'
import { PlainSegments } from './byte-pair/plain-segments.js'
import { ENCODINGS, type EncodingName } from './encodings.js'
import { readRankFile } from './rank-file.js'
import { TokenBuffer } from './token-buffer.js'
import type { ByteTokenizer } from './tokenizer.js'
import { textOfToken, vocabularyOf } from './vocabulary.js'

const loaded = new Map<EncodingName, Promise<ByteTokenizer>>()

/**
 * The tokenizer of the encoding of that name, loaded at first use and kept: one per thread.
 *
 * @param start runs the loading, which takes tens of milliseconds
 */
export function loadEncoding(
  name: EncodingName,
  start: (loading: Steps<ByteTokenizer>) => Promise<ByteTokenizer> = runAsync,
): Promise<ByteTokenizer> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = start(load(name))
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

function* load(name: EncodingName): Steps<ByteTokenizer> {
  const { ranks, specialTokens } = yield* waitFor(readRankFile(name))
  const tables = new KernelTables()
  yield* tables.readRanks(ranks)
  const kernel = new BytePairKernel(yield* tables.build(ENCODINGS[name].pattern))
  const { bytes, offsets } = tables.tokens
  const vocabulary = vocabularyOf(bytes, offsets, specialTokens)
  return {
    encoding: name,
    vocabSize: vocabulary.size,
    endOfText: specialTokens.get('<|endoftext|>'),
    specialTokens,
    isLossless: true,
    vocabulary,
    encodeShort: (text, { allowedSpecial }, ids = new TokenBuffer()) =>
      !containsAny(text, allowedSpecial) && kernel.encodeShort(text, ids) ? ids : undefined,
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
