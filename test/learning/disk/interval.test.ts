import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LearningDisk } from '../../../src/learning/disk/learning-disk.js'
import { CRASHES, CrashFileSystem } from './crash-file-system.js'
import { CARD, callAt, checkpointOf, type ListLearner, replay, textOf } from './list-learner.js'

const POWER_CUT = CRASHES['power cut: nothing']
const KILL = CRASHES['kill -9: the system has everything']

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const diskOf = ({ fs }: CrashFileSystem) => new LearningDisk('/data', 2 ** 40, 'interval', fs)

function begun() {
  const files = new CrashFileSystem()
  return { files, journal: diskOf(files).create('a/b', CARD, checkpointOf([])) }
}

/** The calls that a process finds after a crash. */
function found(files: CrashFileSystem, crash: (typeof CRASHES)[keyof typeof CRASHES]): ListLearner {
  const { state, journal } = diskOf(files.after(crash)).open('a/b', replay)
  journal.close()
  return state
}

const calls = (...indices: number[]) => indices.map((i) => textOf(callAt(i)))

describe('under LEARNING_SYNC=interval', () => {
  test('a power cut takes the calls of the last second, a kill none', () => {
    const { files, journal } = begun()
    journal.append(callAt(1))
    vi.advanceTimersByTime(999)
    journal.append(callAt(2))
    expect([found(files, POWER_CUT), found(files, KILL)]).toEqual([[], calls(1, 2)])
    vi.advanceTimersByTime(1)
    expect(found(files, POWER_CUT)).toEqual(calls(1, 2))
    journal.append(callAt(3))
    expect(found(files, POWER_CUT)).toEqual(calls(1, 2))
    vi.advanceTimersByTime(1000)
    expect(found(files, POWER_CUT)).toEqual(calls(1, 2, 3))
  })

  test('an end and a checkpoint make durable what was appended', () => {
    const { files, journal } = begun()
    journal.append(callAt(1))
    journal.fold(checkpointOf(calls(1)))
    expect(found(files, POWER_CUT)).toEqual(calls(1))
    journal.append(callAt(2))
    journal.close()
    expect(found(files, POWER_CUT)).toEqual(calls(1, 2))
    vi.advanceTimersByTime(10_000)
  })

  test('where the disk did not take answered calls, the next ones are refused', () => {
    const { files, journal } = begun()
    journal.append(callAt(1))
    const sync = vi.spyOn(files, 'fdatasyncSync').mockImplementation(() => {
      throw Object.assign(new Error('EIO'), { code: 'EIO' })
    })
    vi.advanceTimersByTime(1000)
    sync.mockRestore()
    expect(() => journal.append(callAt(2))).toThrow()
    expect(found(files, KILL)).toEqual(calls(1))
  })
})
