import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { CallTimeout } from '../../src/cli/call-timeout.js'
import { CommandError } from '../../src/cli/exit.js'

const never = new Promise<never>(() => {})

test('a late connection or answer is an error that names the service and the time', async () => {
  const idle = new CallTimeout('http://a', 0.01)
  await expect(idle.connecting(never)).rejects.toThrow(CommandError)
  await expect(idle.connecting(never)).rejects.toThrow('http://a could not be reached within 0.01 s.')
  await expect(idle.waiting(never)).rejects.toThrow('http://a was silent for 0.01 s.')
})

test('a result in time is passed on, an error too', async () => {
  const idle = new CallTimeout('http://a', 60)
  expect(await idle.connecting(Promise.resolve(1))).toBe(1)
  await expect(idle.waiting(Promise.reject(new Error('gone')))).rejects.toThrow('gone')
})

test('an answer that stands still is given up, however long the reader takes over what came', async () => {
  const chunks: string[] = []
  const answer = new Readable({ read() {} })
  answer.push('one')
  const reading = async () => {
    for await (const chunk of new CallTimeout('http://a', 0.05).reading(answer)) {
      chunks.push(String(chunk))
      await new Promise((resolve) => setTimeout(resolve, 100))
      if (chunks.length < 3) answer.push('more')
    }
  }
  await expect(reading()).rejects.toThrow('was silent')
  expect([chunks, answer.destroyed]).toEqual([['one', 'more', 'more'], true])
})
