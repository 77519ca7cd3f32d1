import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import type { Given } from '../../../src/wire/given.js'
import { IdReader } from '../../../src/wire/json/id-reader.js'
import type { LongReader } from '../../../src/wire/json/long-reader.js'
import { TextReader } from '../../../src/wire/json/text-reader.js'
import { checkProperty } from '../../property.js'
import { idLists, ids, string, texts } from './json-text.js'

type MakeReader = (bytes: Buffer) => LongReader<Given>

const texts100: MakeReader = (bytes) => new TextReader(bytes, 'field', 100)
const oneText: MakeReader = (bytes) => new TextReader(bytes, 'field', 1)
const oneList: MakeReader = (bytes) => new IdReader(bytes, 'field', 0)
const lists100: MakeReader = (bytes) => new IdReader(bytes, 'field', 100)

/** A value read in steps of these sizes, in plain form; the last size goes on. */
function readBy(sizes: readonly number[], json: string, make: MakeReader) {
  const bytes = Buffer.from(`${json},`)
  const reader = make(bytes)
  let at = 0
  for (let step = 0; !reader.isDone; step++) {
    at = reader.step(at, Math.min(at + sizes[Math.min(step, sizes.length - 1)], bytes.length))
  }
  let value: Given | undefined
  const rest = reader.finish((given) => {
    value = given
  })
  if (rest !== undefined) run(rest)
  const given = value!
  const { count, isList, fault } = given
  const plain = given.makeDocuments<unknown>({
    ofTexts: (found) => (fault === undefined ? Array.from(found, String) : []),
    ofIds: ({ documents }) => ({ ids: [...documents.ids], longest: documents.longest }),
    ofChunks: () => undefined,
  })
  return { at, held: reader.byteLength, count, isList, fault, plain }
}

describe('a value read in steps', () => {
  test.each([
    ['a text', string, oneText],
    ['texts', texts, texts100],
    ['ids', ids, oneList],
    ['lists of ids', idLists, lists100],
  ])('is the same wherever a step ends: %s', async (_, json, make) => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 })
    await checkProperty(
      fc.asyncProperty(json, sizes, async (text, steps) => {
        expect(readBy(steps, text, make)).toEqual(readBy([1e6], text, make))
      }),
      500,
    )
  })
})
