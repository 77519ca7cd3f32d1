import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headerLines } from '../../../src/http/answers/header-lines.js'
import { checkProperty } from '../../property.js'

describe('the lines of headers', () => {
  test('are name and value, in order, one for each value of a list', () => {
    const headers = { 'x-a': 'one', 'x-b': 2, vary: ['Origin', 'Accept'] }
    expect(headerLines(headers)).toBe('x-a: one\r\nx-b: 2\r\nvary: Origin\r\nvary: Accept\r\n')
    expect(headerLines(headers, { 'x-b': '' })).toBe('x-a: one\r\nvary: Origin\r\nvary: Accept\r\n')
    expect(headerLines({})).toBe('')
  })

  test('are those of the value that is given, whichever came before', async () => {
    const values = fc.array(fc.constantFrom('1', 1, '2', 'text', 'a b'), { minLength: 2, maxLength: 6 })
    await checkProperty(
      fc.property(values, (given) => {
        for (const value of given) expect(headerLines({ 'x-v': value })).toBe(`x-v: ${value}\r\n`)
      }),
      100,
    )
  })

  test.each(['a\r\nx-evil: 1', 'a\nb', 'a\0b', 'caf\u0107', undefined])(
    'hold no value that a head cannot have: %j',
    (value) => {
      headerLines({ 'x-v': 'a' })
      expect(() => headerLines({ 'x-v': value })).toThrow(TypeError)
      expect(() => headerLines({ 'x-v': ['a', value] })).toThrow(TypeError)
    },
  )

  test.each(['', 'a b', 'a:', 'a\r\nb'])('hold no name that a head cannot have: %j', (name) => {
    expect(() => headerLines({ [name]: 'a' })).toThrow(TypeError)
  })

  test('are kept for a bounded number of names', () => {
    for (let i = 0; i < 1000; i++) expect(headerLines({ [`x-${i}`]: i })).toBe(`x-${i}: ${i}\r\n`)
    expect(headerLines({ 'x-999': 7 })).toBe('x-999: 7\r\n')
  })
})
