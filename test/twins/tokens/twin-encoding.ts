import type { EncodingName } from '../../../src/first-layer/tokens/encodings.js'
import { ENCODINGS, type PatternName } from '../../../src/first-layer/tokens/encodings.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { ByteTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { textOfToken } from '../../../src/first-layer/tokens/vocabulary.js'
import { Cl100kScanner } from './cl100k-scanner.js'
import { Gpt2Scanner } from './gpt2-scanner.js'
import { Merges } from './merges.js'
import { O200kScanner } from './o200k-scanner.js'
import { readVocabulary } from './read-vocabulary.js'
import type { Scanner } from './scanner.js'
import { TwinStream } from './twin-stream.js'

export type ScannerClass = new (onEnd: (end: number) => void) => Scanner

const SCANNERS: Readonly<Record<PatternName, ScannerClass>> = {
  gpt2: Gpt2Scanner,
  cl100k: Cl100kScanner,
  o200k: O200kScanner,
}

/** The readable encoder: a state machine per pattern, a list of symbols per piece. */
export async function loadTwinEncoding(name: EncodingName): Promise<ByteTokenizer> {
  const source = ENCODINGS[name]
  const vocabulary = await readVocabulary(name)
  const merges = new Merges(vocabulary)
  return {
    encoding: name,
    vocabSize: vocabulary.size,
    endOfText: vocabulary.specialTokens.get('<|endoftext|>')!,
    specialTokens: vocabulary.specialTokens,
    isLossless: true,
    vocabulary,
    stream: ({ allowedSpecial }) =>
      new TwinStream(SCANNERS[source.pattern], merges, vocabulary.specialTokens, allowedSpecial),
    encodeShort: (text, { allowedSpecial }, ids = new TokenBuffer()) => {
      if ([...allowedSpecial].some((literal) => text.includes(literal))) return undefined
      const stream = new TwinStream(SCANNERS[source.pattern], merges, vocabulary.specialTokens, new Set())
      stream.write(Buffer.from(text))
      stream.end()
      while (stream.advance(ids));
      return ids
    },
    tokenText: (id) => textOfToken(vocabulary, id),
  }
}
