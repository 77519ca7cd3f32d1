import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type IdsUpload, ingestIds } from '../../src/corpus/ingest-ids.js'
import { checkProperty } from '../property.js'
import { Collected, Counted, cut, intake, Pauses, sizes } from './collected.js'

type Dtype = IdsUpload['dtype']

function bytesOf(ids: readonly number[], dtype: Dtype): Buffer {
  const array =
    dtype === 'uint16'
      ? Uint16Array.from(ids)
      : dtype === 'uint32'
        ? Uint32Array.from(ids)
        : Int32Array.from(ids)
  return Buffer.from(array.buffer)
}

async function documentsOf(ids: readonly number[], upload: IdsUpload, at?: readonly number[]) {
  const sink = new Collected()
  const facts = await intake(ingestIds, cut(bytesOf(ids, upload.dtype), at), upload, sink)
  expect(facts).toEqual({ numCharacters: 0 })
  return sink.documents
}

/** A document ends after each separator; behind the last one none begins. */
function split(ids: readonly number[], separator: number | undefined): number[][] {
  const documents: number[][] = [[]]
  for (const id of ids) {
    documents.at(-1)!.push(id)
    if (id === separator) documents.push([])
  }
  return documents.at(-1)!.length === 0 ? documents.slice(0, -1) : documents
}

describe('documents of ids', () => {
  test('end after each separator, however the body is cut', async () => {
    const long = fc.integer({ min: 1, max: 40_000 }).map((n) => Array.from({ length: n }, (_, i) => i % 997))
    const ids = fc.oneof(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1 }), long)
    const dtypes = fc.constantFrom<Dtype>('uint16', 'uint32', 'int32')
    const separators = fc.constantFrom(undefined, 0, 3)
    await checkProperty(
      fc.asyncProperty(
        ids,
        dtypes,
        separators,
        sizes,
        fc.boolean(),
        async (ids, dtype, separatorId, at, isSlow) => {
          const sink = new Collected(isSlow)
          await intake(ingestIds, cut(bytesOf(ids, dtype), at), { dtype, separatorId }, sink)
          expect(sink.documents).toEqual(split(ids, separatorId))
        },
      ),
      40,
    )
  })

  test('keep every id', async () => {
    expect(await documentsOf([0, 65_535], { dtype: 'uint16' })).toEqual([[0, 65_535]])
    for (const dtype of ['uint32', 'int32'] as const)
      expect(await documentsOf([0, 2_147_483_647], { dtype }, [3])).toEqual([[0, 2_147_483_647]])
  })

  test('get an id appended each', async () => {
    const upload = { dtype: 'uint16', separatorId: 0, documentEnd: 9 } as const
    expect(await documentsOf([1, 0, 2], upload)).toEqual([
      [1, 0, 9],
      [2, 9],
    ])
  })
})

describe('ids are refused', () => {
  test.each([
    [
      'uint32',
      [1, 2_147_483_648],
      undefined,
      /^`input_ids.1` must be at most 2147483647. Given: 2147483648$/,
    ],
    ['int32', [1, 2, -5], undefined, /^`input_ids.2` must be at least 0. Given: -5$/],
    ['uint16', [50_256, 50_257], 50_257, /^`input_ids.1` must be below 50257, .* Given: 50257$/],
  ] as const)('beyond the bound, by their place: %s', async (dtype, ids, idLimit, message) => {
    for (const at of [[1], [3], [100]])
      await expect(documentsOf(ids, { dtype, idLimit }, at)).rejects.toMatchObject({
        code: 'token_out_of_range',
        message,
      })
    const far = [...Array(70_000).fill(1), ...ids]
    await expect(documentsOf(far, { dtype, idLimit })).rejects.toMatchObject({
      message: expect.stringMatching(/input_ids.7000\d/),
    })
  })

  test('where the body ends within an id, or is empty', async () => {
    const of = (body: Buffer) => intake(ingestIds, cut(body, [5]), { dtype: 'int32' }, new Collected())
    await expect(of(Buffer.alloc(7))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'The body must be a multiple of 4 bytes, the length of `dtype` int32. Given: 7 bytes',
      param: 'dtype',
    })
    await expect(of(Buffer.alloc(0))).rejects.toMatchObject({ code: 'empty_input', param: 'input_ids' })
  })

  const npy = Buffer.from('\x93NUMPY\x01\x00v\x00{', 'latin1')
  const llmC = (...numbers: number[]) =>
    Buffer.concat([Buffer.from(Int32Array.from(numbers).buffer), Buffer.alloc(1012)])
  test.each([
    [
      'npy',
      npy,
      'uint16',
      'a header of npy: send the array’s bytes alone, as `array.tofile(FILE)` writes them',
    ],
    [
      'llm.c for GPT-2',
      llmC(20240520, 1, 9),
      'uint16',
      'a header of llm.c: send what is behind its 1,024 bytes',
    ],
    [
      'llm.c for Llama 3',
      llmC(20240801, 7, 9),
      'uint32',
      'a header of llm.c: send what is behind its 1,024 bytes',
    ],
  ] as const)(
    'behind a header of %s, by its name, however the body is cut',
    async (_, header, dtype, given) => {
      const message = `The body must be ids alone, without a header. Given: ${given}`
      const refusal = { code: 'invalid_request', message: expect.stringContaining(message) }
      for (const at of [[1], [3, 4], [7], [100]])
        await expect(intake(ingestIds, cut(header, at), { dtype }, new Collected())).rejects.toMatchObject(
          refusal,
        )
      const upload = { dtype, idLimit: 50_257 } // a magic beyond it is not told as an id
      await expect(intake(ingestIds, cut(header, [100]), upload, new Collected())).rejects.toMatchObject(
        refusal,
      )
    },
  )
})

test.each([undefined, 1])('ids of any number are written with pauses, separator %s', async (separatorId) => {
  const sink = new Counted()
  const body = bytesOf(Array(1_000_000).fill(1), 'uint16')
  const pauses = new Pauses()
  await intake(ingestIds, cut(body), { dtype: 'uint16', separatorId }, sink, pauses.pace)
  expect(pauses.count).toBeGreaterThan(60)
  expect(pauses.most).toBe(0)
  expect(sink).toMatchObject({ ids: 1_000_000, documents: separatorId === undefined ? 1 : 1_000_000 })
  await expect(
    intake(ingestIds, cut(body), { dtype: 'uint16', separatorId }, sink, Pauses.nobodyWaits),
  ).rejects.toThrow('nobody waits')
})
