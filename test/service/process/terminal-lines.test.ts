import { expect, test } from 'vitest'
import { terminalLine } from '../../../src/service/process/log/logger.js'

const line = (fields: object) =>
  terminalLine(JSON.stringify({ level: 30, time: 0, name: 'inlet', ...fields }))

test.each([
  [{ msg: 'ready', backend: 'cpu', pid: 7, hostname: 'h' }, /^\d\d:\d\d:\d\d ready backend=cpu\n$/],
  [{ level: 40, msg: 'no keys', keys: 0, reason: null }, /^\S+ warning: no keys keys=0\n$/],
  [{ level: 50, msg: 'a', reason: 'two words' }, /^\S+ error: a reason="two words"\n$/],
  [
    { msg: 'a', path: '/\u001b[2J\u009b', x: { y: [1] } },
    /^\S+ a path="\/\\u001b\[2J\ufffd" x=\{"y":\[1\]\}\n$/,
  ],
  [{ msg: 'a\nb\u001b[31m' }, /^\S+ a\\nb\\u001b\[31m\n$/],
])('a log line at a terminal is one line to read: %j', (fields, expected) => {
  expect(line(fields)).toMatch(expected)
})
