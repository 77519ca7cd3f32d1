import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { processName } from '../../../src/datasets/disk/upload-owner.js'
import { FolderOwner, FolderTaken } from '../../../src/learning/disk/folder-owner.js'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'inlet-owner-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const locks = () => fs.readdirSync(folder).map((name) => [name, fs.readlinkSync(join(folder, name))])
const lock = (number: number, owner: string) => fs.symlinkSync(owner, join(folder, `owner.${number}`))
const living = () => processName().replace(/-\d+-\d+$/, `-1-${startOf(1)}`)
const startOf = (pid: number) =>
  fs
    .readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[19]

test('a folder without a lock is taken, and free at once when it is released', () => {
  const owner = FolderOwner.take(fs, folder)
  expect(locks()).toEqual([['owner.1', processName()]])
  owner.release()
  expect(locks()).toEqual([['owner.2', 'nobody']])
  FolderOwner.take(fs, folder).end()
  expect(locks()).toEqual([['owner.3', processName()]])
})

test('a folder of a process that has ended is taken over', () => {
  const { pid } = spawnSync('true')
  lock(4, processName().replace(/-\d+-\d+$/, `-${pid}-1`))
  lock(3, 'left by a process that was killed while it removed it')
  FolderOwner.take(fs, folder).end()
  expect(locks()).toEqual([['owner.5', processName()]])
})

test('a number that another process has now is another process', () => {
  lock(1, processName().replace(/\d+$/, '1'))
  FolderOwner.take(fs, folder).end()
  expect(locks()).toEqual([['owner.2', processName()]])
})

test('a folder of a living process is not taken', () => {
  lock(1, living())
  expect(() => FolderOwner.take(fs, folder)).toThrow(FolderTaken)
  expect(locks()).toEqual([['owner.1', living()]])
})

test('of another machine’s process the signs of life count', () => {
  const other = `not-${hostname()}-7-7`
  lock(1, other)
  expect(() => FolderOwner.take(fs, folder)).toThrow(new FolderTaken(folder, other))
  const before = new Date(Date.now() - 3_600_000)
  fs.lutimesSync(join(folder, 'owner.1'), before, before)
  FolderOwner.take(fs, folder).end()
  expect(locks()).toEqual([['owner.2', processName()]])
})

test('of two that see the same old lock one gets the folder', () => {
  lock(1, 'nobody')
  let first: FolderOwner | undefined
  const second = () =>
    FolderOwner.take(
      {
        ...fs,
        symlinkSync(target, path) {
          first = FolderOwner.take(fs, folder)
          return fs.symlinkSync(target, path)
        },
      },
      folder,
    )
  expect(second).toThrow(FolderTaken)
  expect(locks()).toEqual([['owner.2', processName()]])
  first?.end()
})

test('one that comes late, after another has let the folder go and a third has it, does not get it', () => {
  lock(1, 'nobody')
  let third: FolderOwner | undefined
  const late = () =>
    FolderOwner.take(
      {
        ...fs,
        symlinkSync(target, path) {
          FolderOwner.take(fs, folder).release()
          third = FolderOwner.take(fs, folder)
          return fs.symlinkSync(target, path)
        },
      },
      folder,
    )
  expect(late).toThrow(FolderTaken)
  expect(locks()).toEqual([['owner.4', processName()]])
  third?.end()
})
