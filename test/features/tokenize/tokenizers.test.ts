import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bytePairTokenizer } from '../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import type { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { tokenStrings } from '../../../src/first-layer/tokens/vocabulary.js'
import { decodeSafetensors, ints, MEDIA_TYPES } from '../../decode.js'
import { bytePairSpec, tokenizerFile } from '../../first-layer/tokens/byte-pair/files.js'
import { post, type TestService, testService } from '../../helper.js'

const TOKENIZE = '/v1/tokenize'
const DETOKENIZE = '/v1/detokenize'

function serviceWith(tokenizer: Tokenizer): Promise<TestService> {
  return testService({}, { encoding: () => tokenizer })
}

describe('a tokenizer that changes the text', () => {
  let service: TestService
  beforeAll(async () => {
    service = await serviceWith(await bytePairTokenizer(bytePairSpec(tokenizerFile('roberta'))))
  })
  afterAll(() => service.close())

  test('gives the bytes of the text that each token stands for, and the token’s own text', async () => {
    const answer = await post(service, TOKENIZE, { text: 'é  <mask>', add_special_tokens: true })
    const { tokens, num_tokens, num_characters } = answer.json()
    expect([num_tokens, num_characters]).toEqual([tokens.length, 9])
    expect(answer.headers['content-length']).toBe(String(answer.body.length))
    const shown = tokens.map(({ bytes, text, start, end }: Record<string, string>) => [
      Buffer.from(bytes!, 'base64').toString(),
      ...[text, start, end],
    ])
    expect(shown[0]).toEqual(['', '<s>', 0, 0])
    expect(shown.slice(-2)).toEqual([
      ['  <mask>', '<mask>', 2, 10],
      ['', '</s>', 0, 0],
    ])
    // The blank in front of the first token is none of the text.
    expect(shown[1].slice(2)).toEqual([0, expect.any(Number)])
  })

  test('gives ranges in safetensors, and takes all special tokens unless told', async () => {
    const text = 'a<mask> b'
    const answer = await post(service, TOKENIZE, { text }, { accept: MEDIA_TYPES.safetensors })
    const { input_ids, token_ranges, token_starts } = decodeSafetensors(answer.body).tensors
    expect(token_starts).toBeUndefined()
    expect(token_ranges!.shape).toEqual([input_ids!.shape[0], 2])
    expect([...ints(token_ranges!)].slice(0, 4)).toEqual([0, 1, 1, 7])
    const none = await post(service, TOKENIZE, { text, allowed_special: [] })
    expect(none.json().num_tokens).toBeGreaterThan(input_ids!.shape[0]!)
  })
})

/** Parts of decoded texts that have been made. */
let partsMade = 0

/** Letters as words of a vocabulary that has no bytes. */
const LETTERS: Tokenizer = {
  encoding: undefined,
  vocabSize: 26,
  specialTokens: new Map(),
  endOfText: undefined,
  isLossless: false,
  vocabulary: undefined,
  strings: tokenStrings(Array.from({ length: 26 }, (_, id) => [`##${String.fromCharCode(97 + id)}`, id])),
  tokenText: (id) => (id < 26 ? `##${String.fromCharCode(97 + id)}` : undefined),
  decode: (ids) => ({
    lossy: false,
    *parts() {
      for (let i = 0; i < ids.length; i++, partsMade++) yield String.fromCharCode(97 + ids.at(i)!)
    },
  }),
  stream() {
    const bytes: number[] = []
    return {
      write: (utf8) => void bytes.push(...utf8),
      end: () => Promise.resolve(),
      advance(ids: TokenBuffer): boolean {
        for (const [i, byte] of bytes.splice(0).entries()) {
          ids.pushRange(i, i + 1)
          ids.push(byte - 97)
          ids.characters++
        }
        return false
      },
    }
  },
}

describe('a tokenizer whose tokens have no bytes', () => {
  let service: TestService
  beforeAll(async () => {
    service = await serviceWith(LETTERS)
  })
  afterAll(() => service.close())

  test('tokenizes and decodes', async () => {
    const { input_ids, tokens } = (await post(service, TOKENIZE, { text: 'cab' })).json()
    expect(input_ids).toEqual([2, 0, 1])
    expect(tokens[1]).toEqual({ id: 0, bytes: 'YQ==', text: '##a', start: 1, end: 2 })
    expect((await post(service, DETOKENIZE, { input_ids: [2, 0, 1] })).json()).toEqual({
      text: 'cab',
      lossy: false,
    })
  })

  test('names the first id that has no text', async () => {
    const { status, json } = await post(service, DETOKENIZE, { input_ids: [2, 26] })
    expect(status).toBe(422)
    expect(json().error).toMatchObject({
      code: 'token_out_of_range',
      message: '`input_ids.1` must be a token of the model’s tokenizer, which has ids below 26. Given: 26',
    })
  })

  test('refuses an answer beyond the limit before it makes any of it', async () => {
    const small = await testService({ MAX_JSON_RESPONSE_BYTES: '1000' }, { encoding: () => LETTERS })
    const ids = new Array<number>(320).fill(0) // each counts the bytes of its string, `##a`
    partsMade = 0
    const { status, json } = await post(small, DETOKENIZE, { input_ids: [...ids, ...ids, ...ids] })
    expect(status).toBe(413)
    expect(json().error).toMatchObject({
      code: 'response_too_large',
      message: expect.stringContaining('at most 1000 bytes. It would be about 2905 bytes'),
    })
    expect(partsMade).toBe(0)
    const most = await post(small, DETOKENIZE, { input_ids: ids })
    expect([most.status, most.json()]).toEqual([200, { text: 'a'.repeat(320), lossy: false }])
    await small.close()
  })
})
