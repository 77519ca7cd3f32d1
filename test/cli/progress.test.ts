import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { byteText, Progress, progressLine, shareText } from '../../src/cli/progress.js'
import { styleFor } from '../../src/cli/style.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function shownOn(isTTY: boolean, quiet = false) {
  const written: string[] = []
  const stream = { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream
  const progress = new Progress(stream, styleFor({ isTTY: false }, {}), quiet)
  return { progress, written }
}

describe('progress', () => {
  test('is a line every three seconds where there is no terminal', () => {
    const { progress, written } = shownOn(false)
    progress.stage('sending', 2_000_000)
    progress.add(500_000)
    vi.advanceTimersByTime(2900)
    expect(written).toEqual([])
    vi.advanceTimersByTime(300)
    expect(written).toEqual([
      expect.stringMatching(/^sending {5}25 % {2}500 kB of 2\.0 MB {2}\d+ kB\/s {2}\d+ s left\n$/),
    ])
    progress.stage('receiving')
    progress.add(1536)
    vi.advanceTimersByTime(3000)
    expect(written[1]).toMatch(/^receiving {2}1\.5 kB {2}\d+ B\/s\n$/)
    progress.end('done')
    vi.advanceTimersByTime(10_000)
    expect(written.slice(2)).toEqual(['done\n'])
  })

  test('is a bar that moves on a terminal, and is taken away', () => {
    const { progress, written } = shownOn(true)
    progress.stage('sending', 1000)
    progress.add(500)
    vi.advanceTimersByTime(100)
    expect(written).toEqual([expect.stringMatching(/Ksending .*━{14}─{14} {3}50 %/)])
    expect(written[0].startsWith('\r\u001b[K')).toBe(true)
    progress.end()
    expect(written.at(-1)).toBe('\r\u001b[K')
  })

  test('is nothing where it is to be quiet', () => {
    const { progress, written } = shownOn(false, true)
    progress.stage('sending', 1000)
    vi.advanceTimersByTime(10_000)
    progress.end('done')
    expect(written).toEqual([])
  })
})

test('the speed does not count what was there before', () => {
  const transfer = { stage: 'pulling', bytes: 3000, before: 2000, total: 4000, since: 0 }
  expect(progressLine(transfer, 1000, styleFor({ isTTY: false }, {}), false)).toBe(
    'pulling     75 %  3.0 kB of 4.0 kB  1.0 kB/s  1 s left',
  )
})

test.each([
  [61_000, '1 s left'],
  [120_000, '60 s left'],
  [120_001, '2 min left'],
  [3_600_000, '59 min left'],
  [3_660_000, '1 h 0 min left'],
  [90_000_000, '24 h 59 min left'],
])('of %i bytes after 60 000 in a minute there are %s', (total, left) => {
  const transfer = { stage: 'sending', bytes: 60_000, total, since: 0 }
  expect(progressLine(transfer, 60_000, styleFor({ isTTY: false }, {}), false)).toMatch(
    new RegExp(`1\\.0 kB/s  ${left}$`),
  )
})

test('more bytes than were announced are all of them', () => {
  const transfer = { stage: 'pulling', bytes: 5000, total: 4000, since: 0 }
  expect(progressLine(transfer, 1000, styleFor({ isTTY: false }, {}), true)).toMatch(/^pulling +━+ {2}100 % /)
})

test.each([
  [157_000_000, 548_000_000, '157 of 548 MB'],
  [1_050_673_296, 16_060_522_496, '1.1 of 16.1 GB'],
  [3, 40, '3 of 40 B'],
  [999_499, 1_000_000, '1.0 of 1.0 MB'],
])('a share of %i of %i is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 kB'],
  [99_960, '100 kB'],
  [999_600, '1.0 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteText(bytes)).toBe(text)
})
