import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AUTHORIZATION, type ManagedService, managedService } from '../../managed.js'
import { type FileTensor, rawFile, tableFile } from '../../table-files.js'

let service: ManagedService
beforeAll(async () => {
  service = await managedService()
})
afterAll(() => service.close())

const LONG = 'n'.repeat(60_000)
const ROW: FileTensor = { shape: [1, 3], numbers: [1, 2, 3] }

/** Tensors of one row each, `t0`, `t1`, … */
function many(count: number): Record<string, FileTensor> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, ROW]))
}

/** A file with one tensor, whose description is anything. */
function odd(description: string): Buffer {
  return rawFile(`{"wte.weight":${description}}`)
}

describe('a file that fills its header is refused with a message of less than 2,000 characters', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  test.each<[string, string, Buffer, number, string | null]>([
    ['tensors, none of them wte.weight', 'mine', tableFile(many(900)), 422, 'wte.weight'],
    ['a long name for a new model', 'mine', tableFile({ [LONG]: ROW }), 422, 'wte.weight'],
    ['a long name', 'book/tables', tableFile({ [LONG]: ROW }), 422, `${'n'.repeat(80)}…`],
    [
      'axes',
      'mine',
      tableFile({ 'wte.weight': { shape: Array(20_000).fill(1), numbers: [1] } }),
      422,
      'wte.weight',
    ],
    [
      'axes for a model',
      'book/tables',
      tableFile({ 'wte.weight': { shape: Array(20_000).fill(1), numbers: [1] } }),
      422,
      'wte.weight',
    ],
    [
      'axes without end',
      'mine',
      odd(`{"dtype":"F32","shape":[${Array(3000).fill(99)}],"data_offsets":[0,4]}`),
      400,
      null,
    ],
    ['brackets as a type', 'mine', odd(`{"dtype":${deep},"shape":[1],"data_offsets":[0,4]}`), 400, null],
    ['digits', 'mine', odd(`{"dtype":"F32","shape":[-${'1'.repeat(50_000)}]}`), 400, null],
    ['a long key of its metadata', 'mine', rawFile(`{"__metadata__":{"${LONG}":1}}`), 400, null],
  ])('%s', async (_, path, payload, status, param) => {
    const answer = await service.app.inject({
      method: 'PUT',
      url: `/v1/models/${path}`,
      headers: { ...AUTHORIZATION, 'content-type': 'application/vnd.safetensors' },
      payload,
    })
    expect(answer.statusCode).toBe(status)
    expect(answer.json().error.param).toBe(param)
    expect(answer.json().error.message.length).toBeLessThan(2000)
  })

  test('unless it has few tables: these are all named', async () => {
    const answer = await service.app.inject({
      method: 'PUT',
      url: '/v1/models/mine',
      headers: { ...AUTHORIZATION, 'content-type': 'application/vnd.safetensors' },
      payload: tableFile(many(3)),
    })
    expect(answer.json().error.message).toBe('"wte.weight" is needed, [V, C]. Given: "t0", "t1", "t2"')
  })
})
