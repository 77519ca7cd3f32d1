import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error: plain JavaScript, meant to be read
import { encode, firstLayer, newTables, readRanks, rope, sinusoid } from '../../examples/first-layer.mjs'
import { embed, type TestService, testService } from '../helper.js'

const SAMPLE = readFileSync(new URL('../../docs/sample.txt', import.meta.url), 'utf8')
const TEXTS = [
  'Hello, world! This is the first layer.',
  'In the heart of the city stood the old library, a relic from a bygone era.',
  'The cat sat. Where did the cat sit? The cat, they say.',
  'Akwirw ier, zxqj someunknownPlace',
  "It's what they've said: we'll, I'd, don't, you're, I'm",
  '   three blanks,\n\ttabs\r\nand   ends   ',
  '12345 1,234.5 ½ ٣٤٥ $9.99 (see § 7)',
  'naïve café Straße Ελλάδα Привет 你好，世界 こんにちは 안녕하세요',
  '👩‍👩‍👧 emoji 🇫🇷 and e\u0301 combining marks 🤷🏽',
  SAMPLE.slice(0, 700),
]

describe('examples/first-layer.mjs', () => {
  let service: TestService
  const tables = newTables()
  beforeAll(async () => {
    service = await testService({ EMBEDDING_DIM: '256' })
  })
  afterAll(() => service.close())

  it.each(TEXTS)('gives the service’s ids, windows and embeddings to the bit: %j', async (text) => {
    const { ids, inputs, targets, embeddings } = firstLayer(text, tables)
    const outputs = ['input_ids', 'target_ids', 'input_embeddings']
    const answer = await embed(service, JSON.stringify({ text, context_length: 4, stride: 4, outputs }))
    const { num_tokens, outputs: served } = answer.json()
    expect(num_tokens).toBe(ids.length)
    expect(served.input_ids.data).toEqual(inputs)
    expect(served.target_ids.data).toEqual(targets)
    expect(bits(served.input_embeddings.data.flat(2))).toEqual(
      bits(embeddings.flatMap((window: Float32Array[]) => window.flatMap((row) => [...row]))),
    )
  })

  it('gives the service’s sinusoids and rotations to the bit', async () => {
    const ask = async (position_embedding: object, outputs: string[]) => {
      const body = {
        input_ids: [1, 2, 3, 4, 5, 6, 7],
        tail: 'pad',
        context_length: 7,
        outputs,
        position_embedding,
      }
      const answer = await embed(service, JSON.stringify(body))
      return answer.json().outputs
    }
    const { position_embeddings } = await ask({ type: 'sinusoidal' }, ['position_embeddings'])
    const { cos, sin } = await ask({ type: 'rope', head_dim: 64 }, ['cos', 'sin'])
    for (let position = 0; position < 7; position++) {
      expect(bits(position_embeddings.data[position])).toEqual(bits(sinusoid(position, 256)))
      const turned = rope(position, 64)
      expect(bits(cos.data[position])).toEqual(bits(turned.cos))
      expect(bits(sin.data[position])).toEqual(bits(turned.sin))
    }
  })

  it('falls back to known parts for a word that no vocabulary has', () => {
    expect(encode('Akwirw ier', readRanks())).toEqual([33901, 86, 343, 86, 220, 959])
  })
})

/** The bits of float32 numbers, so that −0 is not 0. */
function bits(numbers: Iterable<number>) {
  return [...new Uint32Array(new Float32Array(numbers).buffer)]
}
