import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderEntries } from '../../src/models/folders.js'
import { type TestService, testService } from '../helper.js'

const FOLDERS = new URL('../goldens/models/', import.meta.url)
const names = existsSync(FOLDERS) ? readdirSync(FOLDERS).sort() : []

interface Golden {
  readonly dtype: 'float32' | 'float16' | 'bfloat16'
  readonly shape: readonly number[]
  readonly data_f32: string
}

interface Expected {
  readonly input_ids: readonly (readonly number[])[]
  readonly token_type_ids?: readonly (readonly number[])[]
  readonly attention_mask?: readonly (readonly number[])[]
  readonly inputs_embeds: Golden
  readonly block_input: Golden
}

/** Models whose rows are normalized or projected: C within 2e-6 and 1e-5 of PyTorch, relative to the largest number. */
const NORMALIZED = /^(bert|bloom|roberta|distilbert|electra|albert|mpnet|deberta|modernbert|bart)/
const PROJECTED = /^(opt-350m|electra|albert)/

function numbers({ data_f32: base64 }: Golden): Float32Array {
  const bytes = Buffer.from(base64, 'base64')
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength)

describe('checkpoints made by transformers', () => {
  let service: TestService
  beforeAll(async () => {
    const folders = await folderEntries({ MODELS_DIR: FOLDERS.pathname, MODELS: undefined }, () => {})
    service = await testService({}, { folders })
  })
  afterAll(() => service.close())

  /** One tensor of the answer for rows of equal length, in float32. */
  async function ask(
    model: string,
    expected: Expected,
    output: string,
    dtype: string,
  ): Promise<Float32Array> {
    const { input_ids, token_type_ids, attention_mask } = expected
    // Pads are behind the documents: they go as shorter documents.
    const cut = (rows: readonly (readonly number[])[]) =>
      rows.map((row, i) => row.filter((_, t) => (attention_mask?.[i]?.[t] ?? 1) === 1))
    const { statusCode, body } = await service.app.inject({
      method: 'POST',
      url: '/v1/input-embeddings',
      payload: {
        ...{ model, dtype, outputs: [output], encoding_format: 'float' },
        input_ids: cut(input_ids),
        ...(token_type_ids && { token_type_ids: cut(token_type_ids) }),
      },
    })
    expect(body.slice(0, 300)).toContain(output)
    expect(statusCode).toBe(200)
    return Float32Array.from(JSON.parse(body).outputs[output].data.flat(Infinity) as number[])
  }

  test.each(names)('%s', async (name) => {
    const expected = JSON.parse(readFileSync(new URL(`${name}/expected.json`, FOLDERS), 'utf8')) as Expected
    const { inputs_embeds, block_input } = expected
    const b = await ask(name, expected, 'inputs_embeds', inputs_embeds.dtype)
    expect(bits(b).equals(bits(numbers(inputs_embeds)))).toBe(true)
    const c = await ask(name, expected, 'input_embeddings', block_input.dtype)
    const reference = numbers(block_input)
    const largest = reference.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const tolerance = PROJECTED.test(name) ? 1e-5 : NORMALIZED.test(name) ? 2e-6 : 0
    if (tolerance === 0) expect(bits(c).equals(bits(reference))).toBe(true)
    const difference = c.reduce((most, value, i) => Math.max(most, Math.abs(value - reference[i])), 0)
    expect(difference / largest).toBeLessThanOrEqual(tolerance)
  })
})
