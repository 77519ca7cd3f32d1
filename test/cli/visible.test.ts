import { expect, test } from 'vitest'
import { visible } from '../../src/cli/terminal.js'

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
