import { expect, test } from 'vitest'
import { WorkQueue } from '../../../src/first-layer/running/wait.js'

test('works run one after the other, though one fails', async () => {
  const works = new WorkQueue()
  const seen: string[] = []
  const work = (name: string) => async () => {
    seen.push(`${name} begins`)
    await null
    seen.push(`${name} ends`)
    if (name === 'b') throw new Error('b is broken')
    return name
  }
  const all = ['a', 'b', 'c'].map((name) => works.run(work(name)))
  expect(await Promise.allSettled(all)).toMatchObject([
    { value: 'a' },
    { reason: { message: 'b is broken' } },
    { value: 'c' },
  ])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('as many at once as it may, the others in their order', async () => {
  const works = new WorkQueue(2)
  const begun: number[] = []
  const ends: (() => void)[] = []
  const all = [0, 1, 2, 3].map((i) =>
    works.run(() => {
      begun.push(i)
      return new Promise<void>((resolve) => ends.push(resolve))
    }),
  )
  expect(begun).toEqual([0, 1])
  ends[1]!()
  await all[1]
  expect(begun).toEqual([0, 1, 2])
  ends[0]!()
  await all[0]
  expect(begun).toEqual([0, 1, 2, 3])
  for (const end of ends) end()
  await Promise.all(all)
})
