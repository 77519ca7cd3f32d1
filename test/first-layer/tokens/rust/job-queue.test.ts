import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { InletError } from '../../../../src/first-layer/errors.js'
import { NoRoom, ProcessEnded } from '../../../../src/first-layer/tokens/rust/failures.js'
import { JobQueue } from '../../../../src/first-layer/tokens/rust/job-queue.js'
import type { LibraryProcess } from '../../../../src/first-layer/tokens/rust/library-process.js'
import {
  HELD_BYTES,
  JOB_MICROSECONDS_PER_BYTE,
  JOB_MS,
  type LibraryLimits,
  SHORT_TEXT,
  UNLIMITED,
} from '../../../../src/first-layer/tokens/rust/limits.js'
import type { TextWork } from '../../../../src/first-layer/tokens/rust/messages.js'
import { PLACES } from '../../../../src/first-layer/tokens/rust/places.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Longer than a short text. */
const LONG = SHORT_TEXT + 1000
const WAIT_MS = 2000

/** A queue over a process that answers when it is told, and notes the lengths of the texts that it has got. */
function queue({ openedMs = 0, ...limits }: Partial<LibraryLimits> & { readonly openedMs?: number } = {}) {
  const begun: { readonly length: number; resolve(result: string): void; reject(error: Error): void }[] = []
  let ends = 0
  const process = {
    openedMs,
    async ready() {},
    send({ ids }: Extract<TextWork, { type: 'decode' }>) {
      return new Promise((resolve, reject) => {
        begun.push({ length: ids.length, resolve, reject })
      })
    },
    end(error: Error) {
      ends++
      for (const { reject } of begun) reject(error)
    },
  } as unknown as LibraryProcess
  const own = new JobQueue(process, { ...UNLIMITED, waitMs: WAIT_MS, ...limits })
  const run = (length: number, signal?: AbortSignal) => {
    const result = own.run({ type: 'decode', ids: new Int32Array(length) }, signal)
    result.catch(() => {})
    return result
  }
  /** The lengths of the texts that the process has got so far. */
  const lengths = async () => {
    await vi.advanceTimersByTimeAsync(0)
    return begun.map(({ length }) => length)
  }
  /** Fills the places of long jobs: lengths LONG, LONG + 1 …. */
  const fill = (signal?: AbortSignal) => Array.from({ length: PLACES }, (_, i) => run(LONG + i, signal))
  return { own, run, begun, lengths, fill, ends: () => ends }
}

/** Room for so many bytes, of which `held` are taken. */
function room(most: number) {
  const state = { held: 0 }
  return {
    state,
    take(bytes: number) {
      if (bytes > most) throw new InletError('invalid_request', 'never')
      if (state.held + bytes > most) return false
      state.held += bytes
      return true
    },
    give(bytes: number) {
      state.held -= bytes
    },
  }
}

describe('jobs of a tokenizer', () => {
  test('begin in their order, as many at once as there are places', async () => {
    const { run, begun, lengths, fill } = queue()
    fill()
    run(LONG + 100)
    run(LONG + 101)
    const first = Array.from({ length: PLACES }, (_, i) => LONG + i)
    expect(await lengths()).toEqual(first)
    begun[0]!.resolve('')
    expect(await lengths()).toEqual([...first, LONG + 100])
  })

  test('have a place for a short one beside the long ones', async () => {
    const { run, lengths, fill } = queue()
    fill()
    run(LONG + 100)
    run(5)
    run(6)
    expect((await lengths()).slice(PLACES)).toEqual([5])
  })

  test('whose caller has left do not begin', async () => {
    const { run, begun, lengths, fill } = queue()
    fill()
    const controller = new AbortController()
    const left = run(LONG + 100, controller.signal)
    run(LONG + 101)
    controller.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    begun[0]!.resolve('')
    expect((await lengths()).slice(PLACES)).toEqual([LONG + 101])
  })

  test('hold their memory until the library is done, also where the caller has left', async () => {
    const memory = room(HELD_BYTES * (LONG + 10))
    const { run, begun, lengths } = queue({ room: memory })
    const controller = new AbortController()
    run(LONG, controller.signal)
    run(20)
    expect(await lengths()).toEqual([LONG])
    controller.abort(new Error('gone'))
    await vi.advanceTimersByTimeAsync(WAIT_MS / 2)
    expect(await lengths()).toEqual([LONG])
    expect(memory.state.held).toBe(HELD_BYTES * LONG)
    begun[0]!.reject(new Error('cancelled'))
    expect(await lengths()).toEqual([LONG, 20])
    begun[1]!.resolve('')
    await lengths()
    expect(memory.state.held).toBe(0)
  })

  test('begin when others have given back the memory that they need', async () => {
    const memory = room(HELD_BYTES * 100)
    memory.state.held = HELD_BYTES * 100
    const { run, lengths } = queue({ room: memory })
    run(10)
    expect(await lengths()).toEqual([])
    memory.state.held = 0
    await vi.advanceTimersByTimeAsync(100)
    expect(await lengths()).toEqual([10])
    run(95)
    expect(await lengths()).toEqual([10])
    memory.state.held = 0
    await vi.advanceTimersByTimeAsync(100)
    expect(await lengths()).toEqual([10, 95])
  })

  test('that need more memory than there is ever fail, and the next one begins', async () => {
    const { run, lengths } = queue({ room: room(HELD_BYTES * LONG) })
    await expect(run(LONG + 1)).rejects.toMatchObject({ code: 'invalid_request' })
    run(LONG)
    expect(await lengths()).toEqual([LONG])
  })
})

describe('jobs that wait', () => {
  test('fail when they have not begun in time', async () => {
    const { run, lengths, fill } = queue()
    fill()
    const late = expect(run(LONG + 100)).rejects.toMatchObject({ late: true })
    await vi.advanceTimersByTimeAsync(WAIT_MS)
    await late
    expect(await lengths()).toHaveLength(PLACES)
  })

  test('fail at once where they would wait too long by the pace of the last jobs', async () => {
    const { run, begun, lengths, fill } = queue()
    const [first] = fill()
    await vi.advanceTimersByTimeAsync(1900)
    begun[0]!.resolve('')
    await first
    run(LONG + 50)
    run(LONG + 60) // one may wait: the pace may have become another
    const refused = await run(LONG + 100).catch((error) => error)
    expect(refused).toBeInstanceOf(NoRoom)
    expect(refused).toMatchObject({ late: false })
    expect(refused.waitMs).toBeGreaterThan(WAIT_MS / 2)
    const soFar = await lengths()
    expect(soFar.at(-1)).toBe(LONG + 50)
    for (const { resolve } of begun.slice()) resolve('')
    expect((await lengths()).at(-1)).toBe(LONG + 60)
  })
})

describe('a job that takes too long', () => {
  const most = JOB_MS + (JOB_MICROSECONDS_PER_BYTE / 1000) * LONG

  test('ends the process, and fails with its bound', async () => {
    const { run, ends } = queue()
    const overrun = expect(run(LONG)).rejects.toMatchObject({
      code: 'tokenizer_unavailable',
      message: expect.stringMatching(/took longer than 5\.2 s/),
    })
    await vi.advanceTimersByTimeAsync(most - 1)
    expect(ends()).toBe(0)
    await vi.advanceTimersByTimeAsync(2)
    await overrun
    expect(ends()).toBe(1)
  })

  test('has twice the time more in which its file was opened: its text may need another tokenizer of it', async () => {
    const { run, ends } = queue({ openedMs: 1000 })
    run(LONG)
    await vi.advanceTimersByTimeAsync(most + 1999)
    expect(ends()).toBe(0)
    await vi.advanceTimersByTimeAsync(2)
    expect(ends()).toBe(1)
  })

  test('takes the other jobs of its process along, which run once more', async () => {
    const { run, begun, lengths } = queue()
    const overrun = expect(run(LONG)).rejects.toMatchObject({ code: 'tokenizer_unavailable' })
    await vi.advanceTimersByTimeAsync(most - 100)
    const other = run(7)
    await vi.advanceTimersByTimeAsync(101)
    await overrun
    expect(await lengths()).toEqual([LONG, 7, 7])
    begun[2]!.resolve('text')
    expect(await other).toBe('text')
  })
})

describe('a process that ends', () => {
  test('has its jobs run once more, each alone, and fails those that end it again', async () => {
    const { run, begun, lengths } = queue()
    const bad = run(8)
    const good = run(9)
    run(10)
    expect((await lengths()).slice(0, 2)).toEqual([8, 9])
    const sent = (await lengths()).length
    for (const { reject } of begun.slice()) reject(new ProcessEnded('the library has ended (SIGABRT)'))
    expect((await lengths()).length).toBe(sent + 1)
    const again = begun.at(-1)!
    if (again.length === 8) again.reject(new ProcessEnded('the library has ended (SIGABRT)'))
    else again.resolve('fine')
    const last = async () => {
      await lengths()
      return begun.at(-1)!
    }
    for (let next = await last(), i = 0; i < 5; i++, next = await last()) {
      if (next.length === 8) next.reject(new ProcessEnded('the library has ended (SIGABRT)'))
      else next.resolve('fine')
    }
    await expect(bad).rejects.toThrow('the library has ended (SIGABRT)')
    expect(await good).toBe('fine')
  })

  test('does not have a job run once more whose caller has left', async () => {
    const { run, begun, lengths } = queue()
    const controller = new AbortController()
    const left = run(8, controller.signal)
    await lengths()
    controller.abort(new Error('gone'))
    begun[0]!.reject(new ProcessEnded('ended'))
    await expect(left).rejects.toThrow('ended')
    expect(await lengths()).toEqual([8])
  })
})
