import { mkdtempSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { readConfig } from '../../../../src/service/features.js'
import { watchKeys } from '../../../../src/service/process/keys/configured-keys.js'
import { until } from '../../../until.js'
import '../../quick-watch.mjs'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-key-file-'))
  path = join(folder, 'keys')
})
afterEach(() => {
  unwatchFile(path)
  rmSync(folder, { recursive: true })
})

/** A file that is read at the start and has another text when the watch begins. @returns what the watch tells */
function watched(text: string, next = text): string[] {
  writeFileSync(path, text)
  const config = readConfig({ API_KEYS_FILE: path })
  writeFileSync(path, next)
  const told: string[] = []
  watchKeys(config, {
    changed: (keys) => told.push(keys.map(({ name }) => name).join()),
    broken: (reason) => told.push(reason),
  })
  return told
}

test('a change between the start and the beginning of the watch is seen', () => {
  vi.useFakeTimers()
  const told = watched('one:1', 'one:1\ntwo:2')
  vi.advanceTimersByTime(2000)
  vi.useRealTimers()
  expect(told).toEqual(['one,two'])
})

test('a callers’ file written again with the same callers is no change', async () => {
  const told = watched('one:1')
  let looks = 0
  watchFile(path, {}, () => looks++)
  for (const content of ['one:1\n', 'one:1']) {
    const before = looks
    // Again and again: what is written before the watch's own first look is no change to it.
    await until(() => {
      writeFileSync(path, content)
      return looks > before
    }, 'a look')
  }
  writeFileSync(path, 'next:1')
  await until(() => told.length > 0, 'the change')
  expect(told).toEqual(['next'])
})

test.each([
  '\ufeffone:1\r\n\r\n# two:2\r\nthree:3\r\n',
  '\ufeff{"callers":[{"name":"one","key":"1"},\r\n{"name":"three","key":"3"}]}',
])('editors of other systems write it too (%j)', (text) => {
  writeFileSync(path, text)
  expect(readConfig({ API_KEYS_FILE: path }).API_KEYS_FILE?.keys.map(({ name }) => name)).toEqual([
    'one',
    'three',
  ])
})
