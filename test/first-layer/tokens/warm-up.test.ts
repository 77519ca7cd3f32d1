import { expect, test } from 'vitest'
import { run, runAsync, type Steps } from '../../../src/first-layer/steps.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import { tokenizeText } from '../../../src/first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { warmedUp } from '../../../src/first-layer/tokens/warm-up.js'

const NONE = { allowedSpecial: new Set<string>() }

// biome-ignore lint/correctness/useYield: made without a step
function* made<Made>(tokenizer: Made): Steps<Made> {
  return tokenizer
}

/** A tokenizer that counts its documents and their bytes. */
function counted(tokenizer: Tokenizer) {
  const seen = { texts: 0, bytes: 0 }
  const stream: Tokenizer['stream'] = (options) => {
    const inner = tokenizer.stream(options)
    seen.texts++
    return {
      write(utf8) {
        seen.bytes += utf8.length
        inner.write(utf8)
      },
      end: () => inner.end(),
      advance: (ids) => inner.advance(ids),
    }
  }
  return { seen, tokenizer: { ...tokenizer, stream } }
}

test('a tokenizer has had a megabyte in four texts, and gives the ids that it gave', async () => {
  const gpt2 = await loadEncoding('gpt2')
  const { seen, tokenizer } = counted(gpt2)
  expect(run(warmedUp(made(tokenizer)))).toBe(tokenizer)
  expect(seen.texts).toBe(4)
  expect(seen.bytes).toBeGreaterThanOrEqual(1 << 20)
  const text = 'Hello, world! The first text, 1 of 20.'
  expect([...run(tokenizeText(tokenizer, text, NONE))]).toEqual([
    15496, 11, 995, 0, 383, 717, 2420, 11, 352, 286, 1160, 13,
  ])
})

test('one that does its work elsewhere gets no text', async () => {
  const { seen, tokenizer } = counted({ ...(await loadEncoding('gpt2')), vocabulary: undefined })
  expect(await runAsync(warmedUp(made(tokenizer)))).toBe(tokenizer)
  expect(seen.texts).toBe(0)
})
