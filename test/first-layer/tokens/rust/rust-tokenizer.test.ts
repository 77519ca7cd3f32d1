import { describe, expect, test } from 'vitest'
import {
  MAX_RUST_IDS,
  MAX_RUST_TOKEN_BYTES,
  rustTokenizer,
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
  const spec = { component: 'model', addedTokens: [], strings: tokenStrings([['a', 0]]), endOfText: 0 }
  const tokenizer = rustTokenizer(library, { key: 'key', json: new Uint8Array() }, spec)
  return { tokenizer, asked }
}

describe('ids to text', () => {
  test.each([
    [MAX_RUST_IDS + 1, MAX_RUST_IDS + 1],
    [2, MAX_RUST_TOKEN_BYTES + 1],
  ])('%i ids of %i bytes are refused with the bounds', (ids, bytes) => {
    const given = `${MAX_RUST_IDS} .* Given: ${ids} ids of ${bytes} bytes`
    expect(() => noting().tokenizer.decodeBytes(ids, bytes)).toThrow(new RegExp(given))
  })

  test('they take memory on their way to the library and back', () => {
    expect(noting().tokenizer.decodeBytes(MAX_RUST_IDS, MAX_RUST_IDS)).toBeGreaterThanOrEqual(
      4 * MAX_RUST_IDS,
    )
  })

  test('a caller who leaves takes the work off the library’s queue, and waits no more', async () => {
    const left: string[] = []
    const library = {
      run: () => new Promise<never>(() => {}),
      leave: (ticket: string) => void left.push(ticket),
    }
    const spec = { component: 'model', addedTokens: [], strings: tokenStrings([['a', 0]]), endOfText: 0 }
    const tokenizer = rustTokenizer(library, { key: 'key', json: new Uint8Array() }, spec)
    let abort = (_: Error) => {}
    const onAbort = (act: (error: Error) => void) => {
      abort = act
      return () => {}
    }
    const decoding = tokenizer.decode([0], { onAbort })
    abort(new Error('gone'))
    await expect(decoding).rejects.toThrow('gone')
    expect(left).toHaveLength(1)
  })

  test('the text has parts, none of which ends within a surrogate pair', async () => {
    const text = `a${'😀'.repeat(20_000)}`
    const { lossy, parts } = await noting(text).tokenizer.decode([0])
    const all = [...parts()]
    expect([lossy, all.join('')]).toEqual([false, text])
    expect(all.length).toBeGreaterThan(1)
    for (const part of all) expect(part.isWellFormed()).toBe(true)
  })

  test('a text with U+FFFD is lossy', async () => {
    expect((await noting('a\ufffd').tokenizer.decode([0])).lossy).toBe(true)
  })
})
