import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Admission, MOST_WORKS, type Size } from '../../src/load/admission.js'
import { Ledger, ledgerMemory } from '../../src/load/ledger.js'

const MIB = 2 ** 20
const PAGES = 1024 // 1 MiB
const TIMEOUT_MS = 900

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  vi.advanceTimersByTime(1000) // the process has run for a while
})
afterEach(() => vi.useRealTimers())

/** A thread with room for 64 MiB, in which `works` works wait for their turns. */
function thread() {
  const state = { works: 0 }
  const refused: string[] = []
  const ledger = new Ledger(ledgerMemory(1), 0, 64 * MIB)
  const queue = { maxQueue: 100, timeoutMs: TIMEOUT_MS }
  const watcher = { waited() {}, refused: (reason: string) => void refused.push(reason) }
  const admission = new Admission(ledger, queue, watcher, () => state.works)
  /** Asks for one page; tells what became of it. */
  const ask = (size: Size, pages = 1) => {
    const asked: { state: string; retryAfter?: string } = { state: 'in' }
    if (admission.tryTake(pages, size)) return asked
    asked.state = 'waits'
    admission
      .wait(pages, size, () => {})
      .then(
        () => (asked.state = 'in'),
        (error) => Object.assign(asked, { state: error.code, retryAfter: error.headers['retry-after'] }),
      )
    return asked
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)
  return { admission, ledger, state, refused, ask, pass }
}

const statesOf = (all: readonly { state: string }[]) => all.map(({ state }) => state)

describe('large requests', () => {
  test('are let in three at once, for works that have just begun do not wait for turns yet', async () => {
    const { ask, pass } = thread()
    const all = Array.from({ length: 8 }, () => ask('new-large'))
    expect(statesOf(all).filter((state) => state === 'in')).toHaveLength(3)
    await pass(5)
    expect(statesOf(all).filter((state) => state === 'in')).toHaveLength(3)
    await pass(5)
    expect(statesOf(all)).toEqual([...Array(6).fill('in'), 'waits', 'waits'])
    await pass(10)
    expect(statesOf(all)).toEqual(Array(8).fill('in'))
  })

  test('that work and that have just begun count together', async () => {
    const { ask, state, pass } = thread()
    state.works = MOST_WORKS['new-large'] - 1
    const all = [ask('new-large'), ask('new-large')]
    expect(statesOf(all)).toEqual(['in', 'waits'])
    state.works = MOST_WORKS['new-large']
    await pass(100)
    expect(statesOf(all)).toEqual(['in', 'waits'])
    state.works = MOST_WORKS['new-large'] - 1
    await pass(10)
    expect(statesOf(all)).toEqual(['in', 'in'])
  })

  test('that ended leave their places, those that had begun long before none', async () => {
    const { admission, ask, pass } = thread()
    const long = performance.now()
    ask('new-large')
    await pass(20)
    const all = Array.from({ length: 3 }, () => ask('new-large'))
    const begun = performance.now()
    expect(statesOf(all)).toEqual(['in', 'in', 'in'])
    admission.workEnded(long)
    expect(admission.tryTake(1, 'new-large')).toBe(false)
    admission.workEnded(begun)
    expect(admission.tryTake(1, 'new-large')).toBe(true)
  })

  test('that a look lets in count as begun, too: one place is given once', async () => {
    const { ask, state, pass } = thread()
    state.works = MOST_WORKS['new-large']
    const all = [1, 2, 3].map(() => ask('new-large'))
    state.works--
    await pass(5)
    expect(statesOf(all)).toEqual(['in', 'waits', 'waits'])
  })

  test('that need more memory while they work need no place', () => {
    const { ask, state } = thread()
    state.works = 100
    expect(ask('large').state).toBe('in')
  })

  test('begin while half of their room is taken, not while more is', () => {
    const { ask } = thread()
    const half = (56 * PAGES) / 2 // an eighth is for small requests
    expect(ask('large', half).state).toBe('in')
    expect(ask('new-large').state).toBe('in')
    expect(ask('new-large').state).toBe('waits')
  })
})

describe('small requests that are long work', () => {
  test('have places of their own where large ones have taken all of theirs', () => {
    const { ask, state } = thread()
    state.works = MOST_WORKS['new-large']
    expect([ask('new-large'), ask('long-small')].map(({ state: each }) => each)).toEqual(['waits', 'in'])
    state.works = MOST_WORKS['long-small'] - 2 // one has just begun
    expect(ask('long-small').state).toBe('in')
    expect(ask('long-small').state).toBe('waits')
  })

  test('wait in a line of their own: other small requests go by', async () => {
    const { ask, state, pass } = thread()
    state.works = MOST_WORKS['long-small']
    const long = ask('long-small')
    expect([long.state, ask('small').state]).toEqual(['waits', 'in'])
    expect(ask('long-small').state).toBe('waits')
    state.works = 0
    await pass(5)
    expect(long.state).toBe('in')
  })
})

describe('a line', () => {
  test('moves on as soon as room is given back, and refuses who has waited for too long', async () => {
    const { ask, admission, pass, refused } = thread()
    ask('small', 64 * PAGES)
    const [first, second] = [ask('small'), ask('small')]
    admission.give(1)
    await pass(0)
    expect([first.state, second.state]).toEqual(['in', 'waits'])
    await pass(TIMEOUT_MS)
    expect([second.state, refused]).toEqual(['waits', []])
    await pass(5)
    expect([second.state, refused]).toEqual(['overloaded', ['queue_timeout']])
    expect(vi.getTimerCount()).toBe(0) // nobody waits: nothing is looked for
  })

  test('takes who would wait less than a third of the time-out, and refuses at once who would wait longer', async () => {
    const { ask, pass, ledger, admission, refused } = thread()
    ask('small', 64 * PAGES)
    const first = Array.from({ length: 5 }, () => ask('small'))
    for (let i = 0; i < 5; i++) {
      admission.give(1)
      await pass(140)
    }
    expect(statesOf(first)).toEqual(Array(5).fill('in'))
    expect(ledger.queued).toBe(0)
    const again = [ask('small'), ask('small'), ask('small')]
    // Behind two others: 280 ms. Behind three: 420, over 300.
    expect([again.map(({ state }) => state), refused]).toEqual([['waits', 'waits', 'waits'], []])
    const late = ask('small')
    await pass(0)
    expect([late, refused]).toEqual([{ state: 'overloaded', retryAfter: '1' }, ['queue_full']])
  })
})
