import { expect, test } from 'vitest'
import { Tokenizers } from '../../../../src/first-layer/cards/tokenizers.js'
import type { TokenizerLibrary } from '../../../../src/first-layer/tokens/rust/rust-library.js'
import { tokenStrings } from '../../../../src/first-layer/tokens/vocabulary.js'
import { InletError } from '../../../../src/service/answer/error-table.js'

/** The tokenizers of a thread over a library that only notes what it is asked, and fails to open with `error`. */
function tokenizers() {
  const asked: string[] = []
  const fails: { error?: Error } = {}
  const library: TokenizerLibrary = {
    async run({ type, file: { key } }) {
      asked.push(`${type} ${key}`)
      if (fails.error !== undefined) throw fails.error
      return undefined
    },
    leave() {},
  }
  return { own: new Tokenizers(library), asked, fails }
}

const spec = { component: 'model', addedTokens: [], strings: tokenStrings([['a', 0]]), endOfText: 0 }
const cardOf = (key: string) => ({
  tokenizer: { type: 'foreign' as const, key, spec, json: new Uint8Array() },
})

test('keepOnly forgets a tokenizer that no model has, and the next use makes another', async () => {
  const { own, asked } = tokenizers()
  const a = await own.of(cardOf('a'))
  await own.of(cardOf('b'))
  own.keepOnly([cardOf('b'), cardOf('c'), { tokenizer: { type: 'none', reason: '' } }])
  expect(asked.splice(0)).toEqual(['open a', 'open b'])
  own.keepOnly([cardOf('b')])
  expect(await own.of(cardOf('a'))).not.toBe(a)
  expect(asked).toEqual(['open a'])
})

test('a model whose tokenizer.json the library refuses serves ids', async () => {
  const { own, fails } = tokenizers()
  fails.error = new InletError('model_failed', 'tokenizer.json cannot be used')
  expect((await own.of(cardOf('a'))).unavailable).toBe('tokenizer.json cannot be used')
})

test('another failure of the library is no fact about the model: its texts try again', async () => {
  const { own, fails } = tokenizers()
  fails.error = new InletError('tokenizer_unavailable', 'the library cannot be reached')
  expect((await own.of(cardOf('a'))).unavailable).toBeUndefined()
})
