import { expect, test } from 'vitest'
import { parsePart } from '../../../src/first-layer/learning/parts.js'
import { Writers } from '../../../src/first-layer/learning/writers.js'

const call = (sequence: number, digest = `body ${sequence}`, writer = 'a') => ({ writer, sequence, digest })

test('the same number with the same body has its first answer again', () => {
  const writers = new Writers()
  expect(writers.answered(call(1))).toBeUndefined()
  writers.note(call(1), { step: 1 })
  writers.note(call(2), { step: 2 })
  expect(writers.answered(call(1))).toEqual({ answer: { step: 1 } })
  expect(writers.answered(call(3))).toBeUndefined()
})

test('another body, a gap and a number that is forgotten are conflicts that name the next number', () => {
  const writers = new Writers()
  for (let n = 1; n <= 40; n++) writers.note(call(n), n)
  const refused = (code: string) =>
    expect.objectContaining({ code, param: 'X-Sequence', message: expect.stringContaining('must be 41') })
  expect(() => writers.answered(call(40, 'other'))).toThrow(refused('sequence_conflict'))
  expect(() => writers.answered(call(42))).toThrow(refused('sequence_gap'))
  expect(() => writers.answered(call(2))).toThrow(refused('sequence_conflict'))
  expect(writers.answered(call(25))).toEqual({ answer: 25 })
})

test('each writer has its own numbers, also after a restore', () => {
  const writers = new Writers()
  writers.note(call(1), 'first')
  writers.note(call(1, 'x', 'b'), 'other')
  const restored = new Writers(JSON.parse(JSON.stringify(writers.states())))
  expect(restored.sequences()).toEqual({ a: 1, b: 1 })
  expect(restored.answered(call(1))).toEqual({ answer: 'first' })
  expect(restored.answered(call(2, 'x', 'b'))).toBeUndefined()
})

test.each(['0/3', '4/3', '1', '1/', 'a/b', '1/1025', '01/2', '1/2/3', ''])('%j is no part', (text) => {
  expect(() => parsePart(text)).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'X-Part' }))
})

test('a part is read', () => {
  expect(parsePart('2/12')).toEqual({ index: 2, count: 12 })
})
