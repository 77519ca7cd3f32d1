import { expect, test } from 'vitest'
import { Damage } from '../../../src/learning/disk/damage.js'
import { LearningDisk } from '../../../src/learning/disk/learning-disk.js'
import { CrashFileSystem } from './crash-file-system.js'
import { CARD, callAt, checkpointOf, replay, textOf } from './list-learner.js'

const FOLDER = '/data/learning/a@b'
const FILES = ['card.json', 'checkpoint.1.safetensors', 'log.1']
const diskOf = ({ fs }: CrashFileSystem) => new LearningDisk('/data', 2 ** 40, 'always', fs)
const STATE = Array.from({ length: 7 }, (_, i) => textOf(callAt(i + 1)))
const BEFORE_FOLD = 3

/** A folder whose calls are partly in the checkpoint, partly in the log. */
function learned(): CrashFileSystem {
  const files = new CrashFileSystem()
  const journal = diskOf(files).create('a/b', CARD, checkpointOf([]))
  for (let i = 1; i <= STATE.length; i++) {
    journal.append(callAt(i))
    if (i === BEFORE_FOLD) journal.fold(checkpointOf(STATE.slice(0, i)))
  }
  journal.close()
  return files
}

const read = (files: CrashFileSystem, name: string) => files.readFileSync(`${FOLDER}/${name}`)
function open(files: CrashFileSystem) {
  const disk = diskOf(files)
  expect(disk.card('a/b')).toEqual(CARD)
  return disk.open('a/b', replay)
}
function failureOf(files: CrashFileSystem): Damage {
  try {
    open(files)
  } catch (error) {
    expect(error).toBeInstanceOf(Damage)
    return error as Damage
  }
  throw new Error('nothing was noticed')
}

test('the folder has a card, a checkpoint and a log', () => {
  const files = learned()
  const { state, torn } = open(files)
  expect(state).toEqual(STATE)
  expect(torn).toBeUndefined()
  const names = files.readdirSync(FOLDER).map(String)
  expect(names.filter((name) => !name.startsWith('owner')).sort()).toEqual(FILES)
})

test.each(FILES)('any other byte of %s is damage that names the file, and nothing is repaired', (name) => {
  const files = learned()
  const bytes = read(files, name)
  for (let at = 0; at < bytes.length; at++) {
    for (const flipped of [1 << (at % 8), 0xff]) {
      const other = Buffer.from(bytes)
      other[at] ^= flipped
      files.replace(`${FOLDER}/${name}`, other)
      const { file, offset } = failureOf(files)
      expect(file).toBe(`${FOLDER}/${name}`)
      expect(offset).toBeLessThanOrEqual(at)
      expect(read(files, name).equals(other)).toBe(true)
    }
  }
})

test('a log that ends early has the calls before its end, and is cut to them', () => {
  const whole = learned()
  const bytes = read(whole, 'log.1')
  const found = new Set<number>()
  for (let length = bytes.length - 1; length >= 0; length--) {
    const files = whole.copy()
    files.replace(`${FOLDER}/log.1`, bytes.subarray(0, length))
    if (length < begun(bytes)) {
      expect(failureOf(files)).toMatchObject({ file: `${FOLDER}/log.1`, offset: 0 })
      continue
    }
    const { state, torn, journal } = open(files)
    found.add(state.length)
    expect(state).toEqual(STATE.slice(0, state.length))
    const left = read(files, 'log.1').length
    expect(torn ?? { offset: length, bytes: 0 }).toMatchObject({ offset: left, bytes: length - left })
    journal.append(callAt(50))
    expect(open(files).state).toEqual([...state, textOf(callAt(50))])
  }
  expect([...found].sort()).toEqual([3, 4, 5, 6])
})

/** Where a log's first record ends. */
function begun(log: Buffer): number {
  return 32 + log.readUInt32LE(16) + 4
}

test('bytes behind the last record are damage, also zeros', () => {
  const whole = learned()
  const bytes = read(whole, 'log.1')
  for (const tail of [Buffer.alloc(32), Buffer.alloc(4096), bytes.subarray(begun(bytes))]) {
    const files = whole.copy()
    files.replace(`${FOLDER}/log.1`, Buffer.concat([bytes, tail]))
    expect(failureOf(files)).toMatchObject({ file: `${FOLDER}/log.1`, offset: bytes.length })
  }
})

test('a record of another log, or one that is missing, is damage', () => {
  const files = learned()
  const bytes = read(files, 'log.1')
  const second = begun(bytes) + recordBytes(bytes, begun(bytes))
  files.replace(`${FOLDER}/log.1`, Buffer.concat([bytes.subarray(0, begun(bytes)), bytes.subarray(second)]))
  expect(failureOf(files)).toMatchObject({ offset: begun(bytes) })
  const journal = open(learned()).journal
  journal.close()
})

function recordBytes(log: Buffer, at: number): number {
  return 32 + log.readUInt32LE(at + 16) + Number(log.readBigUInt64LE(at + 20)) + 4
}

test.each(FILES)('a folder without %s is damage', (name) => {
  const files = learned()
  files.unlinkSync(`${FOLDER}/${name}`)
  const { file } = failureOf(files)
  expect(file).toBe(`${FOLDER}/${name === FILES[1] ? 'checkpoint.0.safetensors' : name}`)
})
