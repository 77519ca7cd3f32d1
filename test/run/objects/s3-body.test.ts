import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { bodyBytes } from '../../../src/run/objects/s3-body.js'
import { ShortBody } from '../../../src/run/objects/s3-failures.js'

const never = new AbortController().signal
const body = (...chunks: string[]) => Readable.from(chunks.map((chunk) => Buffer.from(chunk)))

test('a body of its length is read, of any other refused', async () => {
  expect(String(await bodyBytes(body('ab', 'c'), 3, never))).toBe('abc')
  await expect(bodyBytes(body('ab'), 3, never)).rejects.toThrow(ShortBody)
  await expect(bodyBytes(body('ab', 'cd'), 3, never)).rejects.toThrow(ShortBody)
})

test('a body that stands still ends with its signal', async () => {
  const controller = new AbortController()
  const reading = bodyBytes(new Readable({ read() {} }), 3, controller.signal)
  controller.abort()
  await expect(reading).rejects.toThrow(ShortBody)
})
