import { describe } from 'vitest'
import type { DecodedText } from '../../src/first-layer/tokens/decoded-text.js'
import { loadEncoding } from '../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../src/first-layer/tokens/token-buffer.js'
import { decodedBytes } from '../../src/wire/decoded.js'
import { detokenizedJson } from '../../src/wire/detokenized.js'
import { binaryIds } from '../../src/wire/inference/binary-ids.js'
import { binaryTexts } from '../../src/wire/inference/binary-texts.js'
import { neighborsJson } from '../../src/wire/neighbors-json.js'
import { tokenizedJson } from '../../src/wire/tokenized.js'
import { tokenizedItems } from '../../src/wire/tokenized-items.js'
import { testTurns } from '../takes-turns.js'

const gpt2 = await loadEncoding('gpt2')
await detokenizedJson(gpt2.vocabulary, [0], 1) // makes tables that are kept
/** More ids than a step of any work takes. */
const ids = TokenBuffer.of(new Int32Array(300_000).fill(1))
const decoded: DecodedText = { lossy: false, parts: () => Array.from({ length: 10 }, () => 'abc') }

/** Strings as the binary form of the Open Inference Protocol has them. */
function lengthsAndTexts(texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeUInt32LE(text.length)
      return [length, Buffer.from(text)]
    }),
  )
}

describe('the size of a decoded text', () =>
  testTurns((claim) => decodedBytes(decoded, Number.POSITIVE_INFINITY, claim)))

describe('the size of a text of ids', () =>
  testTurns(async (claim) => (await detokenizedJson(gpt2.vocabulary, ids, ids.length, claim)).size))

describe('the size of a list of tokens', () =>
  testTurns(async (claim) => (await tokenizedJson(gpt2, ids, claim)).size))

describe('the size of a list of tokens with their places', () =>
  testTurns(
    async (claim) => (await tokenizedItems(gpt2, ids, Number.POSITIVE_INFINITY, undefined, claim))?.size,
  ))

describe('many short texts', () => {
  const bytes = lengthsAndTexts(Array.from({ length: 10 }, () => 'abc'))
  testTurns(async (claim) => (await binaryTexts(bytes, 'text', 10, claim)).count)
})

describe('a long text', () => {
  const bytes = lengthsAndTexts(['a'.repeat(2_000_000)])
  testTurns(async (claim) => (await binaryTexts(bytes, 'text', 1, claim)).count)
})

describe('ids in binary', () =>
  testTurns(async (claim) => (await binaryIds(Buffer.alloc(4_000_000), 'INT32', claim)).length))

describe('the nearest tokens of many queries', () => {
  const found = Array.from({ length: 10 }, () => [{ id: 1, score: 1 }])
  const frame = { model: 'a', modelVersion: '1', textOf: () => 'b' }
  testTurns(async (claim) => (await neighborsJson(found, frame, claim)).size)
})
