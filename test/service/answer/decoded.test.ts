import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DecodedText } from '../../../src/first-layer/tokens/tokenizer.js'
import { decodedJson } from '../../../src/service/answer/text-of-ids.js'
import { collect } from '../../collect.js'
import { checkProperty } from '../../property.js'

const textOf = (parts: readonly string[], lossy = false): DecodedText => ({ lossy, parts: () => parts })

test('parts of any characters give the JSON of the whole text', async () => {
  const parts = fc.array(fc.string({ unit: 'binary' }))
  await checkProperty(
    fc.asyncProperty(parts, fc.boolean(), async (parts, lossy) => {
      const text = textOf(parts, lossy)
      const { bytes } = await collect(decodedJson(text))
      expect(bytes.toString()).toBe(JSON.stringify({ text: parts.join(''), lossy }))
    }),
    200,
  )
})
