import { expect, test } from 'vitest'
import { FileReads } from '../../src/library/dataset.js'

test('reads what is cached at once, and aside for a while once a read was slow', async () => {
  const read: string[] = []
  let now = 0
  let takes = 0.01
  const reads = new FileReads(
    (place) => {
      read.push(`at once ${place}`)
      now += takes
    },
    async (place) => void read.push(`aside ${place}`),
    () => now,
  )
  const out = new Int32Array(1024)
  const pending = (place: number) => reads.read(place, out)
  expect([pending(1), pending(2)]).toEqual([undefined, undefined])
  takes = 0.2
  expect(pending(3)).toBeUndefined()
  takes = 0.01
  for (let place = 4; place < 68; place++) await pending(place)
  expect(pending(68)).toBeUndefined()
  expect(read.slice(0, 4)).toEqual(['at once 1', 'at once 2', 'at once 3', 'aside 4'])
  expect(read.slice(-2)).toEqual(['aside 67', 'at once 68'])
})
