import { BytePairKernel } from './byte-pair/byte-pair-kernel.js'
import { DocumentStream } from './byte-pair/document-stream.js'
import { ENCODINGS, type EncodingName } from './registry.js'
import { TokenBuffer } from './token-buffer.js'
import type { ByteTokenizer } from './tokenizer.js'
import { textOfToken } from './vocabulary.js'

const loaded = new Map<EncodingName, Promise<ByteTokenizer>>()

/** The tokenizer of the encoding of that name, loaded at first use and kept: one per thread. */
export function loadEncoding(name: EncodingName): Promise<ByteTokenizer> {
  let encoding = loaded.get(name)
  if (!encoding) {
    encoding = load(name)
    loaded.set(name, encoding)
    encoding.catch(() => loaded.delete(name))
  }
  return encoding
}

async function load(name: EncodingName): Promise<ByteTokenizer> {
  const { pattern, ranks } = ENCODINGS[name]
  const kernel = new BytePairKernel((await ranks()).default, pattern)
  const { vocabulary } = kernel
  return {
    encoding: name,
    vocabSize: vocabulary.size,
    endOfText: vocabulary.specialTokens.get('<|endoftext|>'),
    specialTokens: vocabulary.specialTokens,
    isLossless: true,
    vocabulary,
    encodeShort: (text, { allowedSpecial }, ids = new TokenBuffer()) =>
      !containsAny(text, allowedSpecial) && kernel.encodeShort(text, ids) ? ids : undefined,
    stream: ({ allowedSpecial }) => new DocumentStream(kernel, allowedSpecial),
    tokenText: (id) => textOfToken(vocabulary, id),
  }
}

function containsAny(text: string, literals: ReadonlySet<string>): boolean {
  for (const literal of literals) if (text.includes(literal)) return true
  return false
}
