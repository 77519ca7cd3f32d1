import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Liveness } from '../../src/load/liveness.js'
import { LogDestination } from '../../src/log/destination.js'
import { until } from '../until.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-log-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const lineOf = (name: string, i: number) => `${name} ${i} ${'x'.repeat(200)}\n`
/** Characters that wait while nothing can be written. */
const BUFFER = 4 * 2 ** 20

test('lines come out whole and in their order, after a while or when they are flushed', async () => {
  const path = join(folder, 'whole')
  const fd = openSync(path, 'a')
  const destination = new LogDestination(fd, Liveness.first(), () => {})
  const lines = Array.from({ length: 3000 }, (_, i) => lineOf('ä', i))
  for (const line of lines.slice(0, 2000)) destination.write(line)
  expect(readFileSync(path, 'utf8')).toBe('')
  await until(() => readFileSync(path, 'utf8') === lines.slice(0, 2000).join(''))
  for (const line of lines.slice(2000)) destination.write(line)
  destination.flushSync()
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  closeSync(fd)
})

test('on a full disk lines wait, then are dropped and counted; later they flow again', async ({ skip }) => {
  skip(!existsSync('/dev/full'), 'there is no /dev/full')
  const path = join(folder, 'full')
  const fd = openSync('/dev/full', 'w')
  const reported: number[] = []
  const destination = new LogDestination(fd, Liveness.first(), (dropped) => {
    reported.push(dropped)
    destination.write(`${dropped} were dropped\n`)
  })
  const lines = Array.from({ length: 30_000 }, (_, i) => lineOf('a', i))
  for (const line of lines) destination.write(line)
  destination.flushSync() // comes back
  const kept = lines.length - destination.dropped
  expect(lines.slice(0, kept).join('').length).toBeLessThanOrEqual(BUFFER)
  expect(lines.slice(0, kept + 1).join('').length).toBeGreaterThan(BUFFER)

  closeSync(fd)
  expect(openSync(path, 'a')).toBe(fd) // as if there were room again
  const expected = `${lines.slice(0, kept).join('')}${destination.dropped} were dropped\n`
  await until(() => readFileSync(path, 'utf8') === expected, 'the lines that waited')
  expect(reported).toEqual([destination.dropped])
  closeSync(fd)
})

describe('a pipe', () => {
  /** A process that reads lines once it goes on, and writes down those that are not whole. */
  function stoppedReader(): { child: ChildProcess; fd: number; ended: Promise<string> } {
    const script = `
      let rest = '', lines = 0
      process.stdin.on('data', (bytes) => {
        const all = (rest + bytes).split('\\n')
        rest = all.pop()
        lines += all.length
        for (const line of all) if (!/^[ab] \\d+ x{200}$/.test(line)) console.log('torn: ' + line)
      })
      process.stdin.on('end', () => console.log(lines + ' lines'))`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
    child.kill('SIGSTOP')
    let output = ''
    child.stdout.on('data', (bytes) => (output += bytes))
    const { fd } = (child.stdin as unknown as { _handle: { fd: number } })._handle
    return { child, fd, ended: once(child, 'close').then(() => output) }
  }

  test('whose reader stands still: lines are dropped, threads go on and do not tear each other’s lines', async () => {
    const { child, fd, ended } = stoppedReader()
    const liveness = Liveness.first(2)
    let recovered = 0
    const threads = [liveness, new Liveness(liveness.shared, 1)].map(
      (each) => new LogDestination(fd, each, () => recovered++),
    )
    let written = 0
    while (threads.some(({ dropped }) => dropped === 0)) {
      for (let i = 0; i < 1000; i++) threads[i % 2].write(lineOf('ab'[i % 2], written++))
      await new Promise(setImmediate)
    }
    threads[0].flushSync() // comes back
    child.kill('SIGCONT')
    await until(() => recovered === 2, 'both threads’ lines to flow')
    const dropped = threads.reduce((sum, each) => sum + each.dropped, 0)
    for (const each of threads) each.flushSync()
    child.stdin?.end()
    expect(await ended).toBe(`${written - dropped} lines\n`)
  })

  test('that is closed is no error', async () => {
    const { child, fd } = stoppedReader()
    const destination = new LogDestination(fd, Liveness.first(), () => {})
    child.stdin?.on('error', () => {})
    child.kill('SIGKILL')
    await once(child, 'exit')
    destination.write('a\n')
    destination.flushSync()
    expect(destination.dropped).toBe(0)
  })
})
