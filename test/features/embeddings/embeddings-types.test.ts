import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embeddingsAnswer } from '../../../src/features/embeddings/document.js'
import { folderEntries } from '../../../src/models/folders.js'
import { post, type TestService, testService } from '../../helper.js'
import { tableFile } from '../../table-files.js'

// Made by test/goldens/quantized.py with sentence-transformers 6.2.0.
const GOLDENS = new URL('../../goldens/', import.meta.url)
const { model: golden } = JSON.parse(readFileSync(new URL('quantized.json', GOLDENS), 'utf8'))
const STATIC = fileURLToPath(new URL('static/', GOLDENS))
const ADMIN_KEY = 'a-key-for-these-tests-alone'

/** Width of every model here. */
const C = 13
const DTYPES = ['int8', 'uint8', 'binary', 'ubinary'] as const

/** The ranges of the folder `calibrated`. */
const OWN = { least: Array.from({ length: C }, (_, c) => -2 - c / 10), greatest: new Array(C).fill(2.5) }

let folder: string
let service: TestService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-calibrated-'))
  const made = async (name: string, shape: number[], numbers: number[], tensor = 'ranges') => {
    await cp(join(STATIC, 'st-float16'), join(folder, name), { recursive: true })
    const file = tableFile({ [tensor]: { shape, numbers } })
    await writeFile(join(folder, name, 'calibration.safetensors'), file)
  }
  const numbers = [...OWN.least, ...OWN.greatest]
  await made('calibrated', [2, C], numbers)
  await made('wrong', [2, C], [...OWN.greatest, ...OWN.least])
  await made('narrow', [2, C - 1], numbers.slice(2))
  await made('misnamed', [2, C], numbers, 'range')
  await cp(join(STATIC, 'st-float16'), join(folder, 'st-float16'), { recursive: true })
  const folders = await folderEntries({ MODELS_DIR: folder, MODELS: undefined }, () => {})
  service = await testService({ ADMIN_KEY }, { folders })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

type Vector = number[] | string

async function embed(body: object): Promise<Vector[]> {
  const answer = await post(service, '/v1/embeddings', { model: 'st-float16', ...body })
  expect(answer.status, answer.body.toString()).toBe(200)
  return embeddingsAnswer.parse(answer.json()).data.map(({ embedding }) => embedding)
}

const bytesOf = (vectors: Vector[]) => Buffer.from(Int8Array.from(vectors.flat() as number[]).buffer)

describe.each(DTYPES.flatMap((dtype) => [8, C].map((dimensions) => ({ dtype, dimensions }))))(
  'output_dtype $dtype of $dimensions dimensions',
  ({ dtype: output_dtype, dimensions }) => {
    const { texts: input, [dimensions]: wanted } = golden
    const { ranges, [output_dtype]: expected } = wanted
    const asked = { input, dimensions, ...(output_dtype.endsWith('int8') && { ranges }) }

    test('has the bytes of sentence-transformers, as numbers and as base64', async () => {
      const numbers = await embed({ ...asked, output_dtype })
      expect(bytesOf(numbers).toString('base64')).toBe(expected)
      const packed = (await embed({ ...asked, output_dtype, encoding_format: 'base64' })) as string[]
      const bytes = Buffer.concat(packed.map((one) => Buffer.from(one, 'base64')))
      expect(bytes.toString('base64')).toBe(expected)
    })

    test('is encoding_format’s name too', async () => {
      const same = await embed({ ...asked, output_dtype })
      expect(await embed({ ...asked, encoding_format: output_dtype })).toEqual(same)
      expect(await embed({ ...asked, encoding_format: output_dtype, output_dtype })).toEqual(same)
    })
  },
)

test('the signs are those of the type', async () => {
  const { texts: input, 8: wanted } = golden
  const all = async (output_dtype: string) =>
    ((await embed({ input, dimensions: 8, output_dtype, ranges: wanted.ranges })) as number[][]).flat()
  for (const type of ['uint8', 'ubinary']) expect(Math.min(...(await all(type)))).toBeGreaterThanOrEqual(0)
  for (const type of ['int8', 'binary']) expect(Math.min(...(await all(type)))).toBeLessThan(0)
})

describe('calibration.safetensors', () => {
  test('has the ranges where a request brings none', async () => {
    const input = golden.texts
    const ranges = [OWN.least, OWN.greatest]
    for (const output_dtype of ['int8', 'uint8']) {
      const own = await embed({ model: 'calibrated', input, output_dtype })
      expect(own).toEqual(await embed({ input, output_dtype, ranges }))
      const halved = [OWN.least.map((x) => x / 2), OWN.greatest]
      expect(own).not.toEqual(await embed({ model: 'calibrated', input, output_dtype, ranges: halved }))
    }
  })

  test('is no table to read back', async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const file = await service.app.inject({ url: '/v1/models/calibrated/tables', headers })
    expect(file.rawPayload.includes('pooling')).toBe(false)
  })

  test.each([
    ['narrow', /calibration\.safetensors: "ranges" must be F32 \[2, 13\].*Given: F32 \[2, 12\]/],
    ['misnamed', /calibration\.safetensors: "ranges" is missing/],
  ])('%s: a file that does not fit is refused with its reason', async (model, says) => {
    const answer = await post(service, '/v1/embeddings', { model, input: 'a' })
    expect(answer.json().error).toMatchObject({
      code: 'model_failed',
      message: expect.stringMatching(says),
    })
  })
})

describe('refuses', () => {
  const numbers = (n: number) => new Array(n).fill(1)
  const least = new Array(C).fill(0)
  test.each([
    ['another type', { output_dtype: 'int4' }, 400, 'output_dtype', /"int4"/],
    ['two types', { output_dtype: 'int8', encoding_format: 'uint8' }, 400, 'output_dtype', /uint8.*int8/],
    [
      'no ranges',
      { output_dtype: 'int8' },
      422,
      'output_dtype',
      /"int8" needs ranges.*st-float16 has no calib.*`ranges`/,
    ],
    [
      'ranges of other dimensions in the folder',
      { model: 'calibrated', output_dtype: 'uint8', dimensions: 4 },
      422,
      'output_dtype',
      /calibrated are of 13 dimensions, not of 4/,
    ],
    [
      'ranges the wrong way round in the folder',
      { model: 'wrong', output_dtype: 'int8' },
      422,
      'output_dtype',
      /wrong has no least and greatest value for dimension 0/,
    ],
    [
      'short ranges',
      { output_dtype: 'int8', ranges: [least, numbers(12)] },
      400,
      'ranges.1',
      /13 numbers.*Given: 12/,
    ],
    [
      'a range the wrong way round',
      { output_dtype: 'int8', ranges: [least, [...numbers(12), -1]] },
      400,
      'ranges.1.12',
      /at least 0.*Given: -1/,
    ],
    ['one range', { output_dtype: 'int8', ranges: [least] }, 400, 'ranges', /2 elements/],
    ['words as ranges', { output_dtype: 'int8', ranges: [least, ['a']] }, 400, 'ranges.1.0', /number.*"a"/],
    [
      'ranges of a packed type that do not fit',
      { output_dtype: 'ubinary', dimensions: 8, ranges: [[0], [1]] },
      400,
      'ranges.0',
      /8 numbers/,
    ],
  ] as const)('%s', async (_, body, status, param, says) => {
    const answer = await post(service, '/v1/embeddings', { model: 'st-float16', input: 'a', ...body })
    const { error } = answer.json()
    expect([answer.status, error.param, error.message]).toEqual([status, param, expect.stringMatching(says)])
  })
})
