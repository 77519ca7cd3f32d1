import { afterEach, expect, test, vi } from 'vitest'
import { writeOutput } from '../../src/cli/files.js'
import { byteText, shareText, visible } from '../../src/cli/terminal.js'

test.each([
  ['plain text, ünïcode, 日本語, 👩‍💻', 'plain text, ünïcode, 日本語, 👩‍💻'],
  ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
  ['one\ntwo\r\tthree', 'one\\ntwo\\r\\tthree'],
  ['\u0000 \u007f \u009b31m', '\\x00 \\x7f \\x9b31m'],
  ['gpj.\u202eexe \u2066x\u2069', 'gpj.\\u{202e}exe \\u{2066}x\\u{2069}'],
  ['\u2028 \u2029 \ud800', '\\u{2028} \\u{2029} \\u{d800}'],
])('%j is shown as %s', (text, shown) => {
  expect(visible(text)).toBe(shown)
})

test('requested characters stay', () => {
  expect(visible('{\n\t"a": "\u001b[m"\r\n}', '\n\t')).toBe('{\n\t"a": "\\x1b[m"\\r\n}')
})

test.each([
  [157_000_000, 548_000_000, '157 of 548 MB'],
  [1_050_673_296, 16_060_522_496, '1.1 of 16.1 GB'],
  [3, 40, '3 of 40 B'],
  [999_499, 1_000_000, '1.0 of 1.0 MB'],
])('a share of %i of %i is %s', (part, whole, text) => {
  expect(shareText(part, whole)).toBe(text)
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1536, '1.5 kB'],
  [99_960, '100 kB'],
  [999_600, '1.0 MB'],
])('%i bytes are %s', (bytes, text) => {
  expect(byteText(bytes)).toBe(text)
})

const isTTY = process.stdout.isTTY
afterEach(() => {
  process.stdout.isTTY = isTTY
  vi.restoreAllMocks()
})

/** Writes `text` to stdout in pieces of three bytes; returns the bytes of the output. */
async function written(text: string, terminal: boolean): Promise<string> {
  const chunks: Buffer[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation(((chunk: Uint8Array | string, done: () => void) => {
    chunks.push(Buffer.from(chunk))
    done()
  }) as typeof process.stdout.write)
  process.stdout.isTTY = terminal
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 3) }, (_, i) =>
    bytes.subarray(3 * i, 3 * i + 3),
  )
  await writeOutput('-', pieces)
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
