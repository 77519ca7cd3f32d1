import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe as describeAlways, expect, test, vi } from 'vitest'
import '../../../built.js'
import { hasRustLibrary, tokenizerFile } from '../rust-library.js'

const describe = describeAlways.skipIf(!hasRustLibrary)
const FILE = fileURLToPath(new URL('../../../../dist/rust-process.js', import.meta.url))

/** A tokenizer.json whose pattern is quadratic, and a text for which it takes a minute. */
const QUADRATIC = JSON.stringify({
  ...JSON.parse(tokenizerFile('wordlevel')),
  pre_tokenizer: { type: 'Split', pattern: { Regex: 'x+[yz]' }, behavior: 'Isolated', invert: false },
})
const LONG = 'x'.repeat(300_000)

/** Starts the library's process as its parent, and sends it messages; prints its id, and each answer. */
const PARENT = `
  const { fork } = require('node:child_process')
  const child = fork(process.argv[1], [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  const [json, text] = [process.argv[2], 'x'.repeat(Number(process.argv[3]))]
  child.on('message', ({ id }) => {
    console.log('answer', id)
    const utf8 = Buffer.from(text)
    if (id === 1) child.send({ id: 2, key: 'a', type: 'encode', utf8, forbidden: [], addSpecialTokens: false, ranges: false },
      () => console.log('sent', child.pid))
  })
  child.send({ id: 1, key: 'a', type: 'open', json: Buffer.from(json) })
`

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const ended = (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 30_000 })

describe('the library’s process', () => {
  test.concurrent.each(['SIGKILL', 'SIGTERM'] as const)(
    'ends with its parent, which %s ends, also during a long text',
    async (signal) => {
      const parent = spawn(process.execPath, ['-e', PARENT, FILE, QUADRATIC, String(LONG.length)])
      let printed = ''
      parent.stdout.on('data', (chunk) => {
        printed += chunk
      })
      await vi.waitFor(() => expect(printed).toMatch(/sent \d+\n/), { timeout: 30_000 })
      const pid = Number(/sent (\d+)/.exec(printed)![1])
      expect(isAlive(pid)).toBe(true)
      parent.kill(signal)
      await ended(pid)
    },
    60_000,
  )

  test('outlives the signals that a terminal or a supervisor sends to all processes of the service', async () => {
    const child: ChildProcess = fork(FILE, [], { serialization: 'advanced' })
    const open = () =>
      child.send({ id: 1, key: 'a', type: 'open', json: Buffer.from(tokenizerFile('unigram')) })
    open()
    await once(child, 'message')
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) child.kill(signal)
    open()
    expect(await once(child, 'message')).toMatchObject({ 0: { id: 1 } })
    child.disconnect()
    await once(child, 'exit')
  })
})
