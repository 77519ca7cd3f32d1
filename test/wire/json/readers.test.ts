import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Pace } from '../../../src/turn.js'
import { IdLists } from '../../../src/wire/id-lists.js'
import type { LongField } from '../../../src/wire/json/long-fields.js'
import { longIdLists, longIds, longText, longTexts } from '../../../src/wire/json/long-fields.js'
import { LongTexts } from '../../../src/wire/json/long-texts.js'
import { checkProperty } from '../../property.js'
import { idLists, ids, string, texts } from './json-text.js'

/** What is read in steps of these sizes, as plain values; the last size goes on. */
async function readBy(sizes: readonly number[], json: string, { reader }: LongField) {
  const bytes = Buffer.from(`${json},`)
  const reading = reader(bytes, 'field', 100)
  let at = 0
  for (let step = 0; !reading.isDone; step++) {
    at = reading.step(at, Math.min(at + sizes[Math.min(step, sizes.length - 1)], bytes.length))
  }
  const value = await reading.finish(new Pace())
  const plain =
    value instanceof IdLists
      ? { ...value, ids: [...value.documents.ids], longest: value.documents.longest }
      : value instanceof LongTexts
        ? { faults: value.faults, texts: Array.from(value, String) }
        : { text: String(value) }
  return { at, held: reading.byteLength, ...plain }
}

describe('a value read in steps', () => {
  test.each([
    ['a text', string, longText],
    ['texts', texts, longTexts],
    ['ids', ids, longIds],
    ['lists of ids', idLists, longIdLists],
  ])('is the same wherever a step ends: %s', async (_, json, field) => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
    await checkProperty(
      fc.asyncProperty(json, sizes, async (text, steps) => {
        expect(await readBy(steps, text, field)).toEqual(await readBy([1e6], text, field))
      }),
      500,
    )
  })
})
