import { describe, expect, test } from 'vitest'
import { type Claim, drive, UNBOUNDED } from '../../../../src/first-layer/running/drive.js'
import type { Steps } from '../../../../src/first-layer/steps.js'
import {
  MAX_RUST_IDS,
  MAX_RUST_TOKEN_BYTES,
  RustTokenizer,
} from '../../../../src/first-layer/tokens/rust/rust-tokenizer.js'
import { tokenStrings } from '../../../../src/first-layer/tokens/vocabulary.js'

/** A tokenizer of one token whose library only notes its calls. */
function noting(decoded = '') {
  const asked: string[] = []
  const library = {
    async run({ type }: { readonly type: string }) {
      asked.push(type)
      return decoded
    },
    leave() {},
  }
  const spec = { component: 'model', specialTokens: [], strings: tokenStrings([['a', 0]]), endOfText: 0 }
  const tokenizer = new RustTokenizer(library, { key: 'key', json: new Uint8Array() }, spec)
  return { tokenizer, asked }
}

const driven = async <T>(claim: Claim, steps: Steps<T>) => drive(claim, steps)
const zeros = (length: number) => ({ length, at: () => 0 })

describe('ids to text', () => {
  test.each([
    [MAX_RUST_IDS + 1, MAX_RUST_IDS + 1],
    [2, MAX_RUST_TOKEN_BYTES + 1],
  ])('%i ids of %i bytes are refused with the bounds, and the library is not asked', async (ids, bytes) => {
    const { tokenizer, asked } = noting()
    await expect(driven(UNBOUNDED, tokenizer.decode(zeros(ids), bytes))).rejects.toMatchObject({
      code: 'body_too_large',
      param: 'input_ids',
      message: expect.stringMatching(new RegExp(`${MAX_RUST_IDS} .* Given: ${ids} ids of ${bytes} bytes`)),
    })
    expect(asked).toEqual([])
  })

  test('memory is reserved before the ids are copied', async () => {
    const { tokenizer, asked } = noting()
    const full: Claim = {
      ...UNBOUNDED,
      take(bytes) {
        expect(bytes).toBeGreaterThanOrEqual(4 * MAX_RUST_IDS)
        throw new Error('no room')
      },
    }
    const ids = { length: MAX_RUST_IDS, at: () => expect.fail('copied') }
    await expect(driven(full, tokenizer.decode(ids, MAX_RUST_IDS))).rejects.toThrow('no room')
    expect(asked).toEqual([])
  })

  test('the text has parts, none of which ends within a surrogate pair', async () => {
    const text = `a${'😀'.repeat(20_000)}`
    const { lossy, parts } = await driven(UNBOUNDED, noting(text).tokenizer.decode([0], 1))
    const all = [...parts()]
    expect([lossy, all.join('')]).toEqual([false, text])
    expect(all.length).toBeGreaterThan(1)
    for (const part of all) expect(part.isWellFormed()).toBe(true)
  })

  test('a text with U+FFFD is lossy', async () => {
    expect((await driven(UNBOUNDED, noting('a\ufffd').tokenizer.decode([0], 1))).lossy).toBe(true)
  })
})
