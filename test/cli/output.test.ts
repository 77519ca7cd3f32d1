import { afterEach, expect, test, vi } from 'vitest'
import { openOutput } from '../../src/cli/files.js'

const isTTY = process.stdout.isTTY
afterEach(() => {
  process.stdout.isTTY = isTTY
  vi.restoreAllMocks()
})

/** Writes `text` to stdout in pieces of three bytes; returns the bytes of the output. */
async function written(text: string, terminal: boolean): Promise<string> {
  const chunks: Buffer[] = []
  const output = await openOutput('-')
  vi.spyOn(process.stdout, 'write').mockImplementation(((chunk: Uint8Array | string, done: () => void) => {
    chunks.push(Buffer.from(chunk))
    done()
  }) as typeof process.stdout.write)
  process.stdout.isTTY = terminal
  const bytes = Buffer.from(text)
  for (let i = 0; i < bytes.length; i += 3) await output.write(bytes.subarray(i, i + 3))
  vi.restoreAllMocks()
  return Buffer.concat(chunks).toString()
}

const TEXT = '{\n\t"a": "\u001b[2J日本\u009b語"}\n'

test('on a terminal nothing is obeyed, characters stay whole', async () => {
  expect(await written(TEXT, true)).toBe('{\n\t"a": "\\x1b[2J日本\\x9b語"}\n')
})

test('a pipe gets the bytes as they are', async () => {
  expect(await written(TEXT, false)).toBe(TEXT)
})
