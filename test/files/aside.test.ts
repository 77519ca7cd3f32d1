import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  AsideFolder,
  asideName,
  bytesBelow,
  isAside,
  makeFolder,
  removeAbandoned,
  writeWhole,
} from '../../src/files/aside.js'
import { processName } from '../../src/files/process-name.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inlet-aside-'))
})
afterEach(() => rmSync(root, { recursive: true }))

const names = () => readdirSync(root).sort()

test('a folder is made with those above it; where the system makes none, the reason is told', async () => {
  const path = join(root, 'a', 'b', 'c')
  await Promise.all([makeFolder(path), makeFolder(path)])
  await makeFolder(path)
  expect(readdirSync(join(root, 'a', 'b'))).toEqual(['c'])
  writeFileSync(join(root, 'file'), '')
  await expect(makeFolder(join(root, 'file'))).rejects.toThrow('EEXIST')
  await expect(makeFolder(join(root, 'file', 'x'))).rejects.toThrow('ENOTDIR')
})

test('a folder has its name when it is whole; of two with one name the second stays aside until it is removed', async () => {
  const [first, second] = [new AsideFolder(root), new AsideFolder(root)]
  for (const folder of [first, second]) {
    await folder.make()
    writeFileSync(join(folder.path, 'file'), folder === first ? 'first' : 'second')
  }
  expect(names().every(isAside)).toBe(true)
  expect(await first.moveTo('name')).toBe(true)
  expect(await second.moveTo('name')).toBe(false)
  await first.remove()
  await second.remove()
  expect(names()).toEqual(['name'])
  expect(readFileSync(join(root, 'name/file'), 'utf8')).toBe('first')
})

test('a file is the old one or the new one, and what fails leaves nothing', async () => {
  const path = join(root, 'file')
  await writeWhole(path, [Buffer.from('old')])
  async function* broken() {
    yield Buffer.from('n')
    expect(readFileSync(path, 'utf8')).toBe('old')
    throw new Error('broken')
  }
  await expect(writeWhole(path, broken())).rejects.toThrow('broken')
  expect([names(), readFileSync(path, 'utf8')]).toEqual([['file'], 'old'])
  await writeWhole(path, [Buffer.from('ne'), new Uint8Array(new SharedArrayBuffer(2))])
  expect([names(), readFileSync(path, 'latin1')]).toEqual([['file'], 'ne\0\0'])
})

test('files that ended processes left aside are removed, and nothing else', async () => {
  const { pid } = spawnSync('true')
  const own = asideName()
  const dead = own.replace(processName(), processName().replace(/-\d+-\d+$/, `-${pid}-1`))
  const elsewhere = own.replace(processName(), 'another.machine-1-1')
  const fresh = `${elsewhere.slice(0, -1)}${elsewhere.endsWith('0') ? 1 : 0}`
  for (const name of [own, dead, elsewhere, fresh, 'name']) mkdirSync(join(root, name))
  const before = new Date(Date.now() - 3_600_000)
  utimesSync(join(root, elsewhere), before, before)
  writeFileSync(join(root, `${dead}-file`), '')
  const removed: string[] = []
  await removeAbandoned(root, (path) => removed.push(path))
  expect(removed.sort()).toEqual([dead, `${dead}-file`, elsewhere].map((name) => join(root, name)).sort())
  expect(names()).toEqual([own, fresh, 'name'].sort())
})

test('all blocks of files and folders below a folder are counted, and none where there is no folder', async () => {
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/b/c'), 'four')
  writeFileSync(join(root, 'd'), 'one')
  expect([await bytesBelow(root), await bytesBelow(join(root, 'none'))]).toEqual([4 * 4096, 0])
})
