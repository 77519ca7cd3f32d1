import fc from 'fast-check'
import { expect, test } from 'vitest'
import { run } from '../../../src/first-layer/steps.js'
import type { DecodedText } from '../../../src/first-layer/tokens/tokenizer.js'
import { decodedBytes, decodedJson } from '../../../src/service/answer/text-of-ids.js'
import { collect } from '../../collect.js'
import { checkProperty } from '../../property.js'

const textOf = (parts: readonly string[], lossy = false): DecodedText => ({ lossy, parts: () => parts })

/** A text that does not end. */
const ENDLESS: DecodedText = {
  lossy: false,
  *parts() {
    for (;;) yield 'a'.repeat(1000)
  },
}

test('parts of any characters give the JSON of the whole text, and its size beforehand', async () => {
  const parts = fc.array(fc.string({ unit: 'binary' }))
  await checkProperty(
    fc.asyncProperty(parts, fc.boolean(), async (parts, lossy) => {
      const text = textOf(parts, lossy)
      const { size, body } = decodedJson(text, run(decodedBytes(text, Number.POSITIVE_INFINITY)))
      const { bytes } = await collect(body)
      expect(bytes.toString()).toBe(JSON.stringify({ text: parts.join(''), lossy }))
      expect(bytes.length).toBe(size)
    }),
    200,
  )
})

test('an answer beyond the limit is counted no further than the limit', async () => {
  const bytes = run(decodedBytes(ENDLESS, 1_000_000))
  expect(bytes).toBeGreaterThan(1_000_000)
  expect(bytes).toBeLessThanOrEqual(1_001_000)
})
