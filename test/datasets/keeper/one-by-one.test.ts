import { expect, test } from 'vitest'
import { datasetIndexing } from '../../../src/datasets/errors.js'
import { OneByOne } from '../../../src/datasets/keeper/one-by-one.js'

test('works run one after the other, though one fails', async () => {
  const works = new OneByOne(() => datasetIndexing())
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

test('beyond 64 that wait, a work is refused with the time to try again', async () => {
  const works = new OneByOne(() => datasetIndexing())
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const first = Array.from({ length: 64 }, () => works.run(() => gate))
  await expect(works.run(() => gate)).rejects.toMatchObject({
    code: 'dataset_indexing',
    headers: { 'retry-after': '2' },
  })
  open()
  await Promise.all(first)
  expect(await works.run(async () => 'again')).toBe('again')
})
