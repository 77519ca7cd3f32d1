import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../../src/first-layer/embeddings/table-memory.js'
import { C, settles, taught } from './taught.js'

type Taught = Awaited<ReturnType<typeof taught>>

/** The first number of row 1 in the tables that readers got last. */
function readersSee({ published }: Taught): number {
  const { tables } = published.at(-1)!.version!
  return new Float32Array(bytesOf(tables, tables.places[0]!).slice().buffer)[C]!
}

const versionOf = ({ published }: Taught) => published.at(-1)?.version?.number

describe('a step that was made and could not be published', () => {
  test.each([
    ['the same step, sent again', 'step', 2],
    ['the gradients that follow', 'gradients', 3],
  ] as const)('is published with %s', async (_, kind, sequence) => {
    const model = await taught(6)
    const before = readersSee(model)
    await model.call('gradients')
    model.failing.error = new Error('a thread could not be told')
    await expect(model.call('step')).rejects.toThrow('told')
    expect(versionOf(model)).toBe(1)
    expect(await model.call(kind, sequence)).toMatchObject({ model_version: '2' })
    expect([versionOf(model), readersSee(model)]).toEqual([2, Math.fround(before - 1)])
  })

  test('is published where the copy was not brought up to date either; later versions are the learner’s', async () => {
    const lost: { error?: Error | undefined } = {}
    const model = await taught(6, (trainers) => ({
      async call(...args) {
        const result = await trainers.call(...args)
        const { error } = lost
        lost.error = undefined
        if (error !== undefined) throw error // the learner has had the effect
        return result
      },
    }))
    const before = readersSee(model)
    await model.call('gradients')
    lost.error = new Error('the answer is lost')
    await expect(model.call('step')).rejects.toThrow('lost')
    expect(versionOf(model)).toBe(1)
    expect(await model.call('step', 2)).toMatchObject({ model_version: '2', step: 1 })
    expect([versionOf(model), readersSee(model)]).toEqual([2, Math.fround(before - 1)])
    await model.drain()
    await model.call('gradients', 3)
    expect(await model.call('step', 4)).toMatchObject({ model_version: '3', step: 2 })
    expect([versionOf(model), readersSee(model)]).toEqual([3, Math.fround(Math.fround(before - 1) - 1)])
  })
})

test('tables without readers get the last step before the next one', async () => {
  const brought: (number | undefined)[] = []
  const asked: (number | undefined)[] = []
  const model = await taught(6, (trainers) => ({
    call(id, call, job) {
      if (call.kind === 'step') asked.push(job.copy?.since)
      return trainers.call(id, call, job)
    },
    bring(id, copy, present) {
      expect(model.published.at(-1)?.version?.tables.memory).not.toBe(copy.tables.memory)
      brought.push(copy.since)
      return trainers.bring(id, copy, present)
    },
  }))
  await model.step()
  expect(brought).toEqual([]) // readers have it
  await model.drain()
  expect(brought).toEqual([0])
  await model.step()
  expect(await settles(Promise.resolve())).toBe(true)
  await model.drain()
  await model.step()
  expect(asked).toEqual([0, 1, 2])
  expect(brought).toEqual([0, 1])
})
