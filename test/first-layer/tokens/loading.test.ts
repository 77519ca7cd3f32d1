import { expect, test } from 'vitest'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { ENCODING_NAMES } from '../../../src/first-layer/tokens/encodings.js'
import { turn } from '../../../src/service/process/turn.js'
import { countTurns } from '../../count-turns.js'

// Each takes tens of milliseconds on any machine, and a turn of work about one.
test.each(ENCODING_NAMES)('other work has its turns while %s is loaded', async (name) => {
  const [turns, encoding] = await countTurns(loadEncoding(name, turn))
  expect(turns).toBeGreaterThan(8)
  expect(encoding.encoding).toBe(name)
})

test('callers that come while an encoding is loaded get the same one', async () => {
  const [first, second] = await Promise.all([loadEncoding('gpt2'), loadEncoding('gpt2')])
  expect(first).toBe(second)
})
