import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maskedDocuments } from '../../../src/features/open-inference/masked-documents.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { UNBOUNDED } from '../../counting-claim.js'
import { checkProperty } from '../../property.js'

function documentsOf(rows: readonly (readonly number[])[]): Documents {
  const documents = new Documents(new TokenBuffer())
  for (const row of rows) {
    documents.ids.append(Int32Array.from(row))
    documents.endDocument()
  }
  return documents
}

function rowsOf(documents: Documents): number[][] {
  const ids = [...documents.ids]
  return Array.from({ length: documents.count }, (_, d) =>
    ids.slice(documents.start(d), documents.start(d + 1)),
  )
}

describe('a mask', () => {
  test('keeps the first ids of each row', () => {
    const row = fc
      .integer({ min: 1, max: 30_000 })
      .chain((length) =>
        fc.record({ length: fc.constant(length), kept: fc.integer({ min: 1, max: length }) }),
      )
    const property = fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 4 }), async (rows) => {
      const ids = rows.map(({ length }, d) => Array.from({ length }, (_, i) => 100_000 * d + i))
      const mask = rows.map(({ length, kept }) => Array.from({ length }, (_, i) => Number(i < kept)))
      const masked = await maskedDocuments(documentsOf(ids), documentsOf(mask), UNBOUNDED)
      expect(rowsOf(masked)).toEqual(ids.map((each, d) => each.slice(0, rows[d].kept)))
    })
    return checkProperty(property, 30)
  })

  test.each([
    [
      [
        [1, 0],
        [1, 0, 1],
      ],
      '`attention_mask.1.2` must be 0: only ids at the end of a row can be masked. Given: 1',
    ],
    [[[1, 3]], '`attention_mask.0.1` must be 0 or 1. Given: 3'],
    [[[1], [0, 0]], '`attention_mask.1` must keep an id. Given: zeros only'],
  ])('%j is refused', async (mask, message) => {
    const documents = documentsOf(mask)
    await expect(maskedDocuments(documents, documents, UNBOUNDED)).rejects.toThrow(message)
  })
})
