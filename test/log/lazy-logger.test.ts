import { pino } from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { withLazyChildren } from '../../src/log/lazy-logger.js'

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

/** A logger of this level, the lines that it has written, and a request's logger of it. */
function loggers(level: string) {
  const lines: { level: number; reqId?: string; msg: string; detail?: number; traceId?: string }[] = []
  const parent = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) })
  return {
    lines,
    parent,
    made: vi.spyOn(parent, 'child'),
    late: withLazyChildren(parent).child({ reqId: 'r1' }),
  }
}

describe.each([...LEVELS, 'silent'])('at level %s', (level) => {
  test('a late child writes the lines that a child would write, with its bindings', () => {
    const { lines, parent, late } = loggers(level)
    const early = parent.child({ reqId: 'r1' })
    for (const each of LEVELS) late[each]({ detail: 1 }, 'told')
    const own = lines.splice(0)
    for (const each of LEVELS) early[each]({ detail: 1 }, 'told')
    const withoutTime = (line: object) => ({ ...line, time: 0 })
    expect(own.map(withoutTime)).toEqual(lines.map(withoutTime))
    expect(late.level).toBe(level)
  })
})

test('no child is made for lines that the level leaves out', () => {
  const { late, lines, made } = loggers('warn')
  late.trace('a')
  late.debug('b')
  late.info({ detail: 1 }, 'request')
  expect(made).not.toHaveBeenCalled()
  late.error('c')
  late.error('d')
  expect(made).toHaveBeenCalledTimes(1)
  expect(lines.map(({ msg, reqId }) => [msg, reqId])).toEqual([
    ['c', 'r1'],
    ['d', 'r1'],
  ])
})

test('its own children have its bindings and theirs', () => {
  const { late, lines } = loggers('info')
  late.child({ traceId: 't1' }).info('hello')
  expect(lines).toMatchObject([{ reqId: 'r1', traceId: 't1', msg: 'hello' }])
})
