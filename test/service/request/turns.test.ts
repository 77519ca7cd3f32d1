import { afterEach, expect, test, vi } from 'vitest'
import { masked } from '../../../src/features/open-inference/inputs.js'
import { idsBelow, textDocuments } from '../../../src/first-layer/documents.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { IdLists } from '../../../src/first-layer/windows/id-lists.js'
import { textBytes } from '../../../src/service/answer/text-of-ids.js'
import type { Claim } from '../../../src/service/process/turn.js'
import { edgeOf } from '../../../src/service/request/claims.js'
import { CountingClaim } from '../../counting-claim.js'

/** More ids than a step of any work takes. */
const MANY = 500_000

const ones = Documents.of(TokenBuffer.of(new Int32Array(MANY).fill(1)))
const rows = new IdLists(false, ones).inRows(10)
const texts = Array<string>(10).fill('abc')
const gpt2 = await loadEncoding('gpt2')
let now = performance.now()

test.each([
  [
    'ids compared with the rows of a table',
    (claim: Claim) => idsBelow(new IdLists(false, ones), 2, 'rows', 'ids', edgeOf(claim)),
  ],
  ['ids without those that a mask hides', (claim: Claim) => masked(rows, rows, claim)],
  ['the lengths of tokens', (claim: Claim) => textBytes(gpt2, gpt2.vocabulary, ones.ids, claim)],
  [
    'many short texts',
    (claim: Claim) => textDocuments(gpt2, texts, { allowedSpecial: new Set() }, 'text', edgeOf(claim)),
  ],
])('%s: each slice waits for its turn, and asks whether it is wanted', async (_, work) => {
  vi.spyOn(performance, 'now').mockImplementation(() => now++ * 2) // each turn is over at the second look
  const claim = new CountingClaim()
  await work(claim)
  expect(claim.asked).toBeGreaterThan(3)
})

afterEach(() => vi.restoreAllMocks())
