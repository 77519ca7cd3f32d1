import { beforeAll, describe, expect, test } from 'vitest'
import { documentsOf } from '../../../src/first-layer/documents.js'
import type { Model } from '../../../src/first-layer/embeddings/model.js'
import { loadEncoding } from '../../../src/first-layer/tokens/encoding.js'
import type { StreamOptions } from '../../../src/first-layer/tokens/tokenizer.js'
import { IdLists } from '../../../src/first-layer/windows/id-lists.js'
import { type Claim, ClientGone } from '../../../src/service/process/turn.js'
import { edgeOf } from '../../../src/service/request/claims.js'
import { CountingClaim } from '../../counting-claim.js'

const NONE = { allowedSpecial: new Set<string>() }

let model: Model
beforeAll(async () => {
  const tokenizer = await loadEncoding('gpt2')
  model = { spec: { tokenizer, vocabSize: 50_257, typeVocabSize: 2 } } as Model
})

/** `count` lists of `length` ids each. */
function listsOf(count: number, length: number, id = 1): IdLists {
  const lists = new IdLists(true)
  const ids = new Int32Array(length).fill(id)
  for (let d = 0; d < count; d++) {
    lists.documents.ids.append(ids)
    lists.documents.endDocument()
  }
  return lists
}

function documentsOfTexts(of: Model, strings: readonly string[], how: StreamOptions, claim?: Claim) {
  return documentsOf(of, strings, how, claim && edgeOf(claim))
}

function documentOfText(of: Model, string: string, how: StreamOptions, claim?: Claim) {
  return documentsOf(of, string, how, claim && edgeOf(claim))
}

function documentsOfIds(of: Model, ids: IdLists, claim?: Claim) {
  return documentsOf(of, ids, NONE, claim && edgeOf(claim))
}

describe('documents', () => {
  test('hold 4 bytes a token and 16 a document of what was reserved', async () => {
    const claim = new CountingClaim()
    const strings = Array.from({ length: 300 }, (_, i) => `text ${i} `.repeat(i))
    strings[0] = 'a'
    const documents = await documentsOfTexts(model, strings, NONE, claim)
    expect(documents.count).toBe(300)
    expect(claim.taken).toBe(4 * documents.totalTokens + 16 * 300)
    const single = new CountingClaim()
    const one = await documentOfText(model, 'some words '.repeat(100_000), NONE, single)
    expect(single.taken).toBe(4 * one.totalTokens + 16)
  })

  test('of texts are as if each were alone', async () => {
    const strings = ['Hello, world!', 'x', 'a long one '.repeat(2000), '<|endoftext|> 🕶']
    const allowed = { allowedSpecial: new Set(['<|endoftext|>']) }
    const documents = await documentsOfTexts(model, strings, allowed)
    for (const [d, text] of strings.entries()) {
      const alone = await documentOfText(model, text, allowed)
      const ids = new Int32Array(documents.length(d))
      documents.copyTo(ids, 0, d, 0, ids.length)
      expect([...ids]).toEqual([...alone.ids])
    }
  })

  test.each([
    [
      'texts',
      (n: number, claim: CountingClaim) => documentsOfTexts(model, Array(n / 100).fill('a b c'), NONE, claim),
    ],
    ['ids', (n: number, claim: CountingClaim) => documentsOfIds(model, listsOf(1, 4 * n), claim)],
  ])('of many %s take turns, and end with their caller', async (_, make) => {
    const claim = new CountingClaim()
    await make(2_000_000, claim)
    expect(claim.asked).toBeGreaterThan(2)
    const gone = new CountingClaim()
    gone.leave()
    await expect(make(2_000_000, gone)).rejects.toThrow(ClientGone)
    expect(gone.asked).toBe(1)
  })
})

describe('a token without a row', () => {
  test('is named by its document and its place there', async () => {
    const small = { spec: { ...model.spec, vocabSize: 1000 } } as Model
    await expect(documentsOfTexts(small, ['a', 'a Gisburn'], NONE)).rejects.toMatchObject({
      code: 'token_out_of_range',
      param: 'text.1',
      message: expect.stringMatching(/^`text.1` must give ids below `vocab_size` 1000. Token 3 is 10899$/),
    })
    await expect(documentOfText(small, 'a Gisburn', NONE)).rejects.toMatchObject({ param: 'text' })
    const lists = listsOf(3, 2)
    lists.documents.ids.append(Int32Array.of(5, 1000))
    lists.documents.endDocument()
    await expect(documentsOfIds(small, lists)).rejects.toMatchObject({
      param: 'input_ids.3.1',
      message: '`input_ids.3.1` must be below `vocab_size` 1000. Given: 1000',
    })
  })
})

describe('a text too long for its tokenizer', () => {
  const MOST = 70_000
  const short = () => {
    const tokenizer = Object.create(model.spec.tokenizer, { maxTextBytes: { value: MOST } })
    return { spec: { ...model.spec, tokenizer } } as Model
  }
  const long = 'a b'.repeat(MOST)
  test.each([
    ['input', long],
    ['input', Buffer.from(long)],
    ['input.1', ['a', long]],
  ])('is named by the field that brought it: %s', async (param, given) => {
    const making = documentsOf(short(), given, NONE, undefined, 'input')
    await expect(making).rejects.toMatchObject({
      code: 'body_too_large',
      param,
      message: expect.stringMatching(new RegExp(`^\`${param}\` must be at most ${MOST} bytes`)),
    })
  })
})
