import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InletError } from '../../../src/errors.js'
import { run } from '../../../src/first-layer/steps.js'
import { npyHeader } from '../../../src/first-layer/tensors/npy.js'
import { checkedRows } from '../../../src/wire/soft-prompts/checked-rows.js'
import { rowsOfNpy, rowsOfSafetensors } from '../../../src/wire/soft-prompts/found-rows.js'
import { floats, rawFile, tableFile } from '../../http/models/table-files.js'
import { checkProperty } from '../../property.js'

const NAME = 'prompt_embeddings'

function caught(act: () => unknown): [string, string | null, string] {
  try {
    act()
  } catch (error) {
    if (error instanceof InletError) return [error.code, error.param, error.message]
    throw error
  }
  throw new Error('nothing was thrown')
}

function npy(descr: string, shape: string, data: Buffer, order = 'False'): Buffer {
  const dict = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`
  const head = Buffer.from(`\x93NUMPY\x01\x00\x00\x00${dict}`, 'latin1')
  head.writeUInt16LE(dict.length, 8)
  return Buffer.concat([head, data])
}

test('any rows come back from both kinds of files, to the bit', () =>
  checkProperty(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 70 }),
      fc.infiniteStream(fc.float({ noNaN: true, noDefaultInfinity: true })),
      (rows, width, stream) => {
        const numbers = [...stream.take(rows * width)]
        const shape = [rows, width]
        const file = tableFile({ [NAME]: { shape, numbers } })
        const array = Buffer.concat([npyHeader('float32', shape), floats(numbers)])
        for (const found of [rowsOfSafetensors(file), rowsOfNpy(array)]) {
          const checked = run(checkedRows(found, width, 4096))
          expect([checked.rows, checked.dtype]).toEqual([rows, 'float32'])
          expect(Buffer.from(checked.numbers).equals(floats(numbers))).toBe(true)
        }
      },
    ),
    60,
  ))

test('16-bit rows are kept as they are', () => {
  const bytes = Buffer.from(Uint16Array.of(0x3c00, 0xbc00, 0x0001, 0x7bff).buffer)
  for (const [dtype, name] of [
    ['F16', 'float16'],
    ['BF16', 'bfloat16'],
  ] as const) {
    const found = rowsOfSafetensors(tableFile({ [NAME]: { shape: [2, 2], dtype, bytes } }))
    const { numbers, ...rest } = run(checkedRows(found, 2, 8))
    expect([rest.dtype, Buffer.from(numbers).equals(bytes)]).toEqual([name, true])
  }
  expect(rowsOfNpy(npy('<f2', '(2, 2)', bytes))).toMatchObject({ dtype: 'float16', shape: [2, 2] })
})

test('type, shape and numbers make the hash', () => {
  const hash = (shape: number[], dtype: string) =>
    run(
      checkedRows(
        rowsOfSafetensors(tableFile({ [NAME]: { shape, dtype, bytes: Buffer.alloc(8) } })),
        shape[1]!,
        8,
      ),
    ).sha256
  const all = [hash([1, 4], 'F16'), hash([2, 2], 'F16'), hash([1, 2], 'F32'), hash([1, 4], 'BF16')]
  expect(new Set(all).size).toBe(4)
  expect(hash([1, 4], 'F16')).toBe(all[0])
})

describe('a file is refused', () => {
  const rows = (shape: number[], numbers = new Array(shape.reduce((a, b) => a * b, 1)).fill(0)) =>
    tableFile({ [NAME]: { shape, numbers } })
  const check = (file: Buffer, width = 4, most = 8) => run(checkedRows(rowsOfSafetensors(file), width, most))

  test.each([
    ['of C that is not the model’s', rows([2, 3]), 'shape_mismatch', /\[n, 4\].*Given: \[2, 3\]/],
    ['of twice C', rows([2, 8]), 'shape_mismatch', /\[n, 4\].*Given: \[2, 8\]/],
    ['without rows', rows([0, 4]), 'shape_mismatch', /n from 1 to 8/],
    ['of too many rows', rows([9, 4]), 'shape_mismatch', /n from 1 to 8/],
    ['of one axis', rows([4]), 'shape_mismatch', /Given: \[4\]/],
    ['of keys and values', rows([2, 16]), 'unsupported_combination', /prefix tuning, past_key_values/],
    ['of four axes', rows([2, 2, 2, 2]), 'unsupported_combination', /prefix tuning/],
    [
      'of another tensor',
      tableFile({ [NAME]: { shape: [1, 4], numbers: [1, 2, 3, 4] }, more: { shape: [1], numbers: [1] } }),
      'shape_mismatch',
      /nothing more\. Given: "prompt_embeddings", "more"/,
    ],
    ['of no tensor', tableFile({}), 'shape_mismatch', /Given: no tensor/],
    [
      'of past_key_values',
      tableFile({ past_key_values: { shape: [1, 4], numbers: [1, 2, 3, 4] } }),
      'unsupported_combination',
      /"past_key_values" is prefix tuning’s/,
    ],
    [
      'of tasks',
      tableFile({
        [NAME]: { shape: [1, 4], numbers: [1, 2, 3, 4] },
        prefix_task_cols: { shape: [1], numbers: [1] },
      }),
      'unsupported_combination',
      /multitask/,
    ],
    [
      'of LoRA',
      tableFile({ 'base_model.model.q_proj.lora_A.weight': { shape: [1], numbers: [1] } }),
      'unsupported_combination',
      /LoRA/,
    ],
    [
      'of integers',
      tableFile({ [NAME]: { shape: [1, 4], dtype: 'I32', bytes: Buffer.alloc(16) } }),
      'shape_mismatch',
      /F32, F16 or BF16\. Given: I32/,
    ],
  ])('%s', (_, file, code, message) => {
    expect(caught(() => check(file))).toEqual([code, NAME, expect.stringMatching(message)])
  })

  test.each([
    ['empty', Buffer.alloc(0)],
    ['of seven bytes', Buffer.alloc(7)],
    ['that breaks off in its header', rawFile('{"a":1}').subarray(0, 10)],
    ['that breaks off in its data', rows([2, 4]).subarray(0, -1)],
    ['with bytes behind its data', Buffer.concat([rows([2, 4]), Buffer.alloc(1)])],
    ['with a header of 65 KiB', rawFile(`{}${' '.repeat(1 << 16)}`)],
    ['that is a pickle', Buffer.from('\x80\x02}q\x00.', 'latin1')],
  ])('%s', (_, file) => {
    expect(caught(() => check(file)).slice(0, 2)).toEqual(['invalid_request', null])
  })

  test.each([
    [Number.NaN, 'NaN', 5, '1.1'],
    [Number.POSITIVE_INFINITY, 'Infinity', 0, '0.0'],
    [Number.NEGATIVE_INFINITY, '-Infinity', 7, '1.3'],
  ])('with %d in it, by its place', (value, text, at, place) => {
    const numbers = Array.from({ length: 8 }, (_, i) => (i === at ? value : i))
    const path = `${NAME}.${place}`
    expect(caught(() => check(rows([2, 4], numbers)))).toEqual([
      ...['not_finite', path],
      `\`${path}\` must be finite. Given: ${text}`,
    ])
  })

  test.each([
    ['F16', 0x7c00, 'Infinity'],
    ['F16', 0xfe00, 'NaN'],
    ['BF16', 0xff80, '-Infinity'],
    ['BF16', 0x7fc0, 'NaN'],
  ])('with 0x%s %i in it', (dtype, bits, text) => {
    const bytes = Buffer.from(Uint16Array.of(0, 1, 2, bits).buffer)
    const file = tableFile({ [NAME]: { shape: [1, 4], dtype, bytes } })
    expect(caught(() => check(file))).toEqual([
      ...['not_finite', `${NAME}.0.3`],
      expect.stringMatching(new RegExp(`${text}$`)),
    ])
  })

  test('with NaN behind the first part of a long one', () => {
    const bytes = Buffer.alloc(4 * 200_000)
    bytes.writeFloatLE(Number.NaN, 4 * 150_001)
    const file = tableFile({ [NAME]: { shape: [2, 100_000], bytes } })
    expect(caught(() => check(file, 100_000)).slice(0, 2)).toEqual(['not_finite', `${NAME}.1.50001`])
  })
})

describe('a .npy is refused', () => {
  const data = Buffer.alloc(16)
  test.each([
    ['of float64', npy('<f8', '(1, 2)', data), 'shape_mismatch', NAME],
    ['of big-endian numbers', npy('>f4', '(1, 4)', data), 'shape_mismatch', NAME],
    ['in Fortran’s order', npy('<f4', '(1, 4)', data, 'True'), 'invalid_request', null],
    ['that is too short', npy('<f4', '(1, 5)', data), 'invalid_request', null],
    ['that is too long', npy('<f4', '(1, 3)', data), 'invalid_request', null],
    ['of several arrays', Buffer.from('PK\x03\x04 and on', 'latin1'), 'invalid_request', null],
    ['of fields', npy('<f4', '(1, 4), "x": 1', data), 'invalid_request', null],
    [
      'of a version that is not known',
      Buffer.from('\x93NUMPY\x09\x00\x00\x00', 'latin1'),
      'invalid_request',
      null,
    ],
    ['that breaks off', npy('<f4', '(1, 4)', data).subarray(0, 30), 'invalid_request', null],
    [
      'that breaks off before its length',
      Buffer.from('\x93NUMPY\x02\x00\x00\x00', 'latin1'),
      'invalid_request',
      null,
    ],
    ['empty', Buffer.alloc(0), 'invalid_request', null],
  ])('%s', (_, file, code, param) => {
    expect(caught(() => rowsOfNpy(file)).slice(0, 2)).toEqual([code, param])
  })

  test('no bytes are ever anything but an InletError', () =>
    checkProperty(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isNpy) => {
        const file = isNpy ? Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), bytes]) : bytes
        for (const read of [rowsOfNpy, rowsOfSafetensors]) expect(caught(() => read(file))[0]).toMatch(/./)
      }),
      200,
    ))
})
