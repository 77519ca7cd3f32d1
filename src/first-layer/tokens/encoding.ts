import { loadBuiltFile } from '../package-file.js'
import { NO_TEMPLATE, specialToken } from './added-tokens.js'
import { bytePairTokenizer } from './byte-pair/byte-pair-tokenizer.js'
import { patternTable } from './byte-pair/pattern-table.js'
import { ENCODINGS, type EncodingName, PATTERNS } from './encodings.js'
import type { ByteTokenizer } from './tokenizer.js'
import { vocabularyOf } from './vocabulary.js'

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
  const endOfText = specialTokens.get('<|endoftext|>')
  const spec = {
    pattern: patternTable([PATTERNS[ENCODINGS[name].pattern]])!,
    merged,
    vocabulary: vocabularyOf(merged.bytes, merged.offsets, specialTokens),
    addedTokens: Array.from(specialTokens, ([literal, id]) => specialToken(literal, id)),
    template: NO_TEMPLATE,
    ...{ endOfText, marks: { endoftext: endOfText, eos: endOfText } },
  }
  return bytePairTokenizer(spec, pause, name)
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
