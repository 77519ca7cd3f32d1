import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeSafetensors, ints, MEDIA_TYPES } from '../../decode.js'
import { readGolden, sha256, verdictIds, verdictText } from '../../goldens.js'
import { embed, type TestService, testService } from '../../helper.js'
import { twinBatches } from '../../twins/windows.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

/** The text where it is at hand, else its ids. */
const text = verdictText()
const verdict = text === undefined ? { input_ids: verdictIds() } : { text }
const range = (n: number) => ({ input_ids: Array.from({ length: n }, (_, i) => i) })

async function windowsOf(call: object) {
  const outputs = ['input_ids', 'target_ids', 'window_starts']
  const answer = await embed(service, { ...call, outputs }, { accept: MEDIA_TYPES.safetensors })
  if (answer.status !== 200) throw new Error(answer.json().error.code)
  const { tensors, metadata } = decodeSafetensors(answer.body)
  const [inputs, targets, starts] = outputs.map((name) => ints(tensors[name]))
  return { inputs, targets, starts, metadata }
}

interface WindowCase {
  readonly id: string
  readonly params: { text?: string; ids?: string; max_length: number; stride: number }
  readonly expect: {
    n_windows: number
    last_window_start: number
    inputs_sha256_i32le: string
    targets_sha256_i32le: string
  }
}

const windowCases = readGolden<{ cases: WindowCase[] }>('windows.json').cases.filter(
  ({ params }) => params.max_length,
)

test.each(windowCases)('windows $id over HTTP', async ({ params, expect: golden }) => {
  const documents = params.text ? verdict : range(Number(params.ids?.split('..')[1]) + 1)
  const asked = windowsOf({ ...documents, context_length: params.max_length, stride: params.stride })
  if (golden.n_windows === 0) {
    await expect(asked).rejects.toThrow('no_windows')
    return
  }
  const { inputs, targets, starts, metadata } = await asked
  expect(Number(metadata.num_windows)).toBe(golden.n_windows)
  expect(starts.at(-1)).toBe(golden.last_window_start)
  expect(sha256(inputs)).toBe(golden.inputs_sha256_i32le)
  expect(sha256(targets)).toBe(golden.targets_sha256_i32le)
})

interface LoaderCase {
  readonly id: string
  readonly params: {
    text?: string
    n_ids?: number
    max_length: number
    stride: number
    batch_size: number
    shuffle: boolean
    drop_last: boolean
    seed: number
    generator: string
  }
  readonly expect: {
    n_windows: number
    epochs: { n_batches: number; last_batch_rows: number[]; rows_sha256_i32le: string }[]
  }
}

const loaderCases = readGolden<{ cases: LoaderCase[] }>('dataloader.json').cases.filter(
  ({ params }) => params.generator === 'global', // a request cannot hand over a generator
)

describe.each(loaderCases)('dataloader $id over HTTP', ({ params, expect: golden }) => {
  test.each([...golden.epochs.entries()])('epoch %i', async (epoch, expected) => {
    const { max_length, stride, batch_size, shuffle, drop_last, seed } = params
    const documents = params.text ? verdict : range(params.n_ids ?? 0)
    const call = {
      ...documents,
      context_length: max_length,
      stride,
      batch_size,
      shuffle,
      drop_last,
      seed,
      epoch,
    }
    const { starts, metadata } = await windowsOf(call)
    expect(Number(metadata.num_windows)).toBe(golden.n_windows)
    expect(Number(metadata.num_batches)).toBe(expected.n_batches)
    const rows = starts.map((start) => start / stride)
    expect(sha256(rows)).toBe(expected.rows_sha256_i32le)
    expect(twinBatches([...rows], batch_size, drop_last).length).toBe(expected.n_batches)
    const last = await windowsOf({ ...call, batch_index: expected.n_batches - 1 })
    expect([...last.starts].map((start) => start / stride)).toEqual(expected.last_batch_rows)
  })
})
