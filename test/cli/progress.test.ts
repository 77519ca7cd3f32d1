import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Progress } from '../../src/cli/progress.js'
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
    expect(written).toEqual([expect.stringMatching(/^sending {5}25 % {2}500 kB of 2\.0 MB {2}\d+ kB\/s\n$/)])
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
