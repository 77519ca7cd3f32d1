import { expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import type { RustClient } from '../../../src/first-layer/tokens/rust/rust-client.js'
import { tokenStrings } from '../../../src/first-layer/tokens/token-strings.js'
import { Tokenizers } from '../../../src/models/library/tokenizers.js'

/** The tokenizers of a thread over a library that only notes what it is asked, and fails to open with `error`. */
function tokenizers() {
  const asked: string[] = []
  const fails: { error?: Error } = {}
  const client = {
    async open(key: string) {
      asked.push(`open ${key}`)
      if (fails.error !== undefined) throw fails.error
    },
    close: async (key: string) => void asked.push(`close ${key}`),
  } as unknown as RustClient
  return { own: new Tokenizers(() => client), asked, fails }
}

const spec = { component: 'model', specialTokens: [], strings: tokenStrings([['a', 0]]), endOfText: 0 }
const cardOf = (key: string) => ({
  tokenizer: { type: 'foreign' as const, key, spec, json: new Uint8Array() },
})

test('keepOnly closes a tokenizer that no model has, and the next use opens it again', async () => {
  const { own, asked } = tokenizers()
  const a = await own.of(cardOf('a'))
  await own.of(cardOf('b'))
  own.keepOnly([cardOf('b'), cardOf('c'), { tokenizer: { type: 'none', reason: '' } }])
  await new Promise(setImmediate)
  expect(asked.splice(0)).toEqual(['open a', 'open b', 'close a'])
  own.keepOnly([cardOf('b')])
  expect(await own.of(cardOf('a'))).not.toBe(a)
  expect(asked).toEqual(['open a'])
})

test('a model whose tokenizer.json the library refuses serves ids', async () => {
  const { own, fails } = tokenizers()
  fails.error = new InletError('model_failed', 'tokenizer.json cannot be used')
  expect((await own.of(cardOf('a'))).unavailable).toBe('tokenizer.json cannot be used')
})

test('the next request tries again after another failure of the library', async () => {
  const { own, fails, asked } = tokenizers()
  fails.error = new InletError('tokenizer_unavailable', 'the library cannot be reached')
  await expect(own.of(cardOf('a'))).rejects.toBe(fails.error)
  delete fails.error
  expect((await own.of(cardOf('a'))).unavailable).toBeUndefined()
  expect(asked).toEqual(['open a', 'open a'])
})
