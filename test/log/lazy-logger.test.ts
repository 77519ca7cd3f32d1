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
    lazy: withLazyChildren(parent).child({ reqId: 'r1' }),
  }
}

describe.each([...LEVELS, 'silent'])('at level %s', (level) => {
  test('a lazy logger writes the lines that pino’s child writes, with its bindings', () => {
    const { lines, parent, lazy } = loggers(level)
    const child = parent.child({ reqId: 'r1' })
    for (const each of LEVELS) lazy[each]({ detail: 1 }, 'line')
    const own = lines.splice(0)
    for (const each of LEVELS) child[each]({ detail: 1 }, 'line')
    const withoutTime = (line: object) => ({ ...line, time: 0 })
    expect(own.map(withoutTime)).toEqual(lines.map(withoutTime))
    expect(lazy.level).toBe(level)
  })
})

test('a lazy logger makes no child for lines below the level', () => {
  const { lazy, lines, made } = loggers('warn')
  lazy.trace('a')
  lazy.debug('b')
  lazy.info({ detail: 1 }, 'request')
  expect(made).not.toHaveBeenCalled()
  lazy.error('c')
  lazy.error('d')
  expect(made).toHaveBeenCalledTimes(1)
  expect(lines.map(({ msg, reqId }) => [msg, reqId])).toEqual([
    ['c', 'r1'],
    ['d', 'r1'],
  ])
})

test('a child of a lazy logger makes none either before it writes', () => {
  const { lazy, lines, made } = loggers('warn')
  const child = lazy.child({ traceId: 't1' })
  child.info('a')
  expect(made).not.toHaveBeenCalled()
  child.warn('b')
  expect(lines).toMatchObject([{ reqId: 'r1', traceId: 't1', msg: 'b' }])
})

test('children of a lazy logger have its bindings and theirs', () => {
  const { lazy, lines } = loggers('info')
  lazy.child({ traceId: 't1' }).info('hello')
  expect(lines).toMatchObject([{ reqId: 'r1', traceId: 't1', msg: 'hello' }])
})
