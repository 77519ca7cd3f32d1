import { describe, expect, it, test } from 'vitest'
import { LearningDisk } from '../../../src/learning/disk/learning-disk.js'
import { CRASHES, CrashFileSystem, Killed } from './crash-file-system.js'
import { CARD, callAt, checkpointOf, type ListLearner, replay, textOf } from './list-learner.js'

const QUOTA = 2 ** 40
const diskOf = ({ fs }: CrashFileSystem) => new LearningDisk('/data', QUOTA, 'always', fs)

/** What a caller has been told, and what it waits for. */
interface Told {
  /** undefined: there is no such model. */
  state: ListLearner | undefined
  /** The state when the call that is on its way has its effect as well. */
  next: ListLearner | undefined
}

/** Begins to learn, ten calls, a fold after the third and the seventh, an end. */
function story(files: CrashFileSystem, told: Told): void {
  const disk = diskOf(files)
  told.next = []
  const journal = disk.create('a/b', CARD, checkpointOf([]))
  told.state = []
  for (let i = 1; i <= 10; i++) {
    told.next = [...(told.state as ListLearner), textOf(callAt(i))]
    journal.append(callAt(i))
    told.state = told.next
    if (i === 3 || i === 7) journal.fold(checkpointOf(told.state))
  }
  told.next = undefined
  disk.remove('a/b', journal)
  told.state = undefined
}

function operationsOfStory(): number {
  const files = new CrashFileSystem()
  story(files, { state: undefined, next: undefined })
  return files.operations
}

/** The model as the next process finds it, which then goes on. */
function opened(files: CrashFileSystem): ListLearner | undefined {
  const disk = diskOf(files)
  if (!disk.models().includes('a/b')) return undefined
  const { state, journal } = disk.open('a/b', replay)
  journal.append(callAt(99))
  journal.close()
  const { state: again } = disk.open('a/b', replay)
  expect(again).toEqual([...state, textOf(callAt(99))])
  return state
}

const operations = operationsOfStory()

describe.each(Object.entries(CRASHES))('%s', (_, crash) => {
  it('finds what was acknowledged, or that and the call on its way, wherever the process ends', () => {
    expect(operations).toBeGreaterThan(60)
    for (let killAt = 0; killAt <= operations; killAt++) {
      const files = new CrashFileSystem()
      const told: Told = { state: undefined, next: undefined }
      files.killAt = killAt
      try {
        story(files, told)
      } catch (error) {
        if (!(error instanceof Killed)) throw error
      }
      const found = opened(files.after(crash))
      expect([told.state, told.next], `killed before operation ${killAt}`).toContainEqual(found)
    }
  })

  it('finds it too when the process that opens it is killed', () => {
    for (let killAt = 0; killAt <= operations; killAt += 3) {
      const files = new CrashFileSystem()
      const told: Told = { state: undefined, next: undefined }
      files.killAt = killAt
      try {
        story(files, told)
      } catch {}
      const found = files.after(crash)
      for (let killOpening = 0; ; killOpening++) {
        const second = found.copy()
        second.killAt = killOpening
        try {
          const disk = diskOf(second)
          if (disk.models().includes('a/b')) disk.open('a/b', replay)
        } catch (error) {
          if (!(error instanceof Killed)) throw error
        }
        expect([told.state, told.next]).toContainEqual(opened(second.after(crash)))
        if (second.operations <= killOpening) break
      }
    }
  })
})

test('a full disk: the call is not there, and the same call can be sent again', () => {
  for (let room = 0; room < 200; room++) {
    const files = new CrashFileSystem()
    const journal = diskOf(files).create('a/b', CARD, checkpointOf([]))
    journal.append(callAt(1))
    files.capacity = files.bytes + room
    const bytes = files.bytes
    const call = callAt(2, 150)
    expect(() => journal.append(call)).toThrow(expect.objectContaining({ code: 'insufficient_storage' }))
    expect(files.bytes).toBe(bytes)
    expect(diskOf(files.copy()).open('a/b', replay).state).toEqual([textOf(callAt(1))])
    files.capacity = Number.POSITIVE_INFINITY
    journal.append(call)
    expect(diskOf(files.copy()).open('a/b', replay).state).toEqual([textOf(callAt(1)), textOf(call)])
  }
})

test('a full disk while a checkpoint is written: the log goes on', () => {
  const files = new CrashFileSystem()
  const journal = diskOf(files).create('a/b', CARD, checkpointOf([]))
  journal.append(callAt(1))
  const bytes = files.bytes
  for (let room = 0; room < 400; room += 7) {
    files.capacity = bytes + room
    const fold = () => journal.fold(checkpointOf(['x'.repeat(400)]))
    expect(fold).toThrow(expect.objectContaining({ code: 'insufficient_storage' }))
    expect(files.bytes).toBe(bytes)
  }
  files.capacity = Number.POSITIVE_INFINITY
  journal.append(callAt(2))
  expect(diskOf(files.copy()).open('a/b', replay).state).toEqual([textOf(callAt(1)), textOf(callAt(2))])
})

test('a full disk at the beginning: no folder is there', () => {
  for (let room = 0; room < 300; room += 11) {
    const files = new CrashFileSystem()
    const disk = diskOf(files)
    files.capacity = room
    const create = () => disk.create('a/b', CARD, checkpointOf(['x'.repeat(400)]))
    expect(create).toThrow(expect.objectContaining({ code: 'insufficient_storage' }))
    expect(files.readdirSync('/data/learning')).toEqual([])
  }
})
