import { expect, test } from 'vitest'
import type { LibraryProcess } from '../../../../src/first-layer/tokens/rust/library-process.js'
import { MOST_IDLE_PROCESSES, UNLIMITED } from '../../../../src/first-layer/tokens/rust/limits.js'
import { TokenizerProcesses } from '../../../../src/first-layer/tokens/rust/tokenizer-processes.js'

/** Tokenizers whose processes only note how they are started and ended, by the first byte of their file. */
function tokenizers() {
  const running = new Set<number>()
  const fails = new Set<number>()
  const processOf = ([number]: Uint8Array) => ({
    openedMs: 0,
    get isRunning() {
      return running.has(number!)
    },
    async ready() {
      if (fails.has(number!)) throw new Error('refused')
      running.add(number!)
    },
    send: () => Promise.resolve('text'),
    end: () => running.delete(number!),
  })
  const own = new TokenizerProcesses(UNLIMITED, processOf as unknown as () => LibraryProcess)
  const open = (number: number) => own.run({ type: 'open', key: String(number), json: Uint8Array.of(number) })
  const close = (number: number) => own.run({ type: 'close', key: String(number) })
  const decode = (number: number) => own.run({ type: 'decode', key: String(number), ids: new Int32Array(1) })
  return { open, close, decode, running, fails }
}

test('a file that several threads have opened is closed by the last of them', async () => {
  const { open, close, decode, running } = tokenizers()
  await open(1)
  await open(1)
  await close(1)
  expect([...running]).toEqual([1])
  expect(await decode(1)).toBe('text')
  await close(1)
  expect([...running]).toEqual([])
  await expect(decode(1)).rejects.toThrow('No tokenizer is open under 1.')
})

test('a tokenizer file that cannot be opened stays open in no process', async () => {
  const { open, decode, fails } = tokenizers()
  fails.add(1)
  await expect(open(1)).rejects.toThrow('refused')
  await expect(decode(1)).rejects.toThrow('No tokenizer is open under 1.')
})

test('of the processes that have nothing to do those used least recently end, and start again for a text', async () => {
  const { open, decode, running } = tokenizers()
  for (let i = 0; i < MOST_IDLE_PROCESSES; i++) await open(i)
  await decode(0)
  await open(100)
  expect(running.size).toBe(MOST_IDLE_PROCESSES)
  expect(running.has(0)).toBe(true)
  expect(running.has(1)).toBe(false)
  expect(await decode(1)).toBe('text')
  await new Promise(setImmediate)
  expect(running.has(1)).toBe(true)
  expect(running.has(2)).toBe(false)
})
