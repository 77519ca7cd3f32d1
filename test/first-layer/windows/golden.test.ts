import { expect, test } from 'vitest'
import { planWindows } from '../../../src/first-layer/windows/windows.js'
import { readGolden, sha256, verdictIds } from '../../goldens.js'
import { batchOf, documentsOf, range } from './documents.js'

interface Case {
  readonly id: string
  readonly params: { text?: string; ids?: string; max_length?: number; stride: number }
  // biome-ignore lint/suspicious/noExplicitAny: each case lists what it knows
  readonly expect: any
}

const { cases } = readGolden<{ cases: Case[] }>('windows.json')

function idsOf({ params }: Case): number[] {
  return params.text === undefined ? range(Number(params.ids?.split('..')[1]) + 1) : verdictIds()
}

const windowCases = cases.filter(({ params }) => params.max_length !== undefined)

test('the ids of the text equal the golden’s', () => {
  const { expect: golden } = cases.find(({ id }) => id === 'tokens') as Case
  const ids = verdictIds()
  expect(ids.length).toBe(golden.n_tokens)
  expect(sha256(Int32Array.from(ids))).toBe(golden.sha256_i32le)
})

test.each(windowCases.filter(({ expect: { n_windows } }) => n_windows > 0))('$id', async (golden) => {
  const { max_length: contextLength, stride } = golden.params
  const { windows, batch, inputs, targets, windowStarts } = await batchOf([idsOf(golden)], {
    context_length: contextLength,
    stride,
  })
  expect(windows.count).toBe(golden.expect.n_windows)
  expect(batch.count).toBe(golden.expect.n_windows)
  expect(windows.droppedTokens >= golden.expect.unused_tail_tokens).toBe(true)
  if (stride <= (contextLength ?? 0)) expect(windows.droppedTokens).toBe(golden.expect.unused_tail_tokens)
  expect(windowStarts.at(-1)).toBe(golden.expect.last_window_start)
  expect(sha256(inputs)).toBe(golden.expect.inputs_sha256_i32le)
  expect(sha256(targets)).toBe(golden.expect.targets_sha256_i32le)
})

test.each(windowCases.filter(({ expect: { n_windows } }) => n_windows === 0))(
  '$id gives no window',
  async (golden) => {
    const { max_length: contextLength, stride } = golden.params
    expect(planWindows(documentsOf([idsOf(golden)]), { context_length: contextLength, stride }).count).toBe(0)
  },
)
