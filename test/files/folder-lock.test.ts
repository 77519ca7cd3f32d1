import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderLock, FolderTaken } from '../../src/files/folder-lock.js'
import { processName } from '../../src/files/process-name.js'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'inlet-lock-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true }))

const locks = () => fs.readdirSync(folder).map((name) => [name, fs.readlinkSync(join(folder, name))])
const lock = (number: number, owner: string) => fs.symlinkSync(owner, join(folder, `owner.${number}`))
const startOf = (pid: number) =>
  fs
    .readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[19]
const living = () => processName().replace(/-\d+-\d+$/, `-1-${startOf(1)}`)

test('a folder without a lock is taken, and free at once when it is released', () => {
  const first = FolderLock.take(folder)
  expect(locks()).toEqual([['owner.1', processName()]])
  first.release()
  expect(locks()).toEqual([['owner.2', 'nobody']])
  FolderLock.take(folder).end()
  expect(locks()).toEqual([['owner.3', processName()]])
})

test('a folder of a process that has ended is taken over', () => {
  const { pid } = spawnSync('true')
  lock(4, processName().replace(/-\d+-\d+$/, `-${pid}-1`))
  lock(3, 'left by a process that was killed while it removed it')
  FolderLock.take(folder).end()
  expect(locks()).toEqual([['owner.5', processName()]])
})

test('a number that another process has now is another process', () => {
  lock(1, processName().replace(/\d+$/, '1'))
  FolderLock.take(folder).end()
  expect(locks()).toEqual([['owner.2', processName()]])
})

test('a folder of a living process is not taken', () => {
  lock(1, living())
  expect(() => FolderLock.take(folder)).toThrow(FolderTaken)
  expect(locks()).toEqual([['owner.1', living()]])
})

test('a process of another machine counts as alive by its marks', () => {
  lock(1, `not-${hostname()}-7-7`)
  expect(() => FolderLock.take(folder)).toThrow(FolderTaken)
  const before = new Date(Date.now() - 3_600_000)
  fs.lutimesSync(join(folder, 'owner.1'), before, before)
  FolderLock.take(folder).end()
  expect(locks()).toEqual([['owner.2', processName()]])
})
