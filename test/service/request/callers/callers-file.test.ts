import { describe, expect, test } from 'vitest'
import { ApiKeyError, MAX_CALLERS } from '../../../../src/service/process/keys/api-keys.js'
import { parseCallersFile } from '../../../../src/service/process/keys/key-file.js'

const KEY = 'k3y-s3cret'
const file = (...callers: unknown[]) => JSON.stringify({ callers })

function problem(text: string): string {
  try {
    parseCallersFile(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiKeyError)
    return (error as Error).message
  }
  throw new Error(`taken: ${text}`)
}

test('a callers’ file gives each caller’s key, models and rights', () => {
  const [ci, desk] = parseCallersFile(
    file(
      { name: 'ci', key: KEY, models: ['gpt2'], learn: ['gpt2'] },
      { name: 'desk', key: 'other', admin: true },
    ),
  )
  expect(ci).toMatchObject({ name: 'ci', models: ['gpt2'], learn: ['gpt2'] })
  expect(desk).toMatchObject({ admin: true })
  expect(JSON.stringify([ci, desk])).not.toContain(KEY)
})

describe('names the place and the rule, and shows no value', () => {
  const caller = (fields: object) => file({ name: 'ci', key: KEY, ...fields })
  test.each([
    [`{"callers": [{"key": "${KEY}"`, 'It begins with "{" and is not JSON.'],
    ['{}', 'callers must be an array of callers, at least one.'],
    ['{"callers": []}', 'callers must be an array of callers, at least one.'],
    [`{"callers": {"ci": "${KEY}"}}`, 'callers must be an array of callers, at least one.'],
    [`{"callers": ["${KEY}"]}`, 'callers.0 must be an object.'],
    ['{"callers": [{"name":"a","key":"b"}], "version": 1}', 'The file has an unknown field, `version`.'],
    [caller({ rate: 5 }), 'callers.0 has an unknown field, `rate`.'],
    [file({ key: KEY }), 'callers.0.name must be 1 to 64 letters, digits, "_", "." or "-".'],
    [file({ name: KEY, key: `${KEY} ` }), 'callers.0.key must be visible ASCII, at least one character.'],
    [caller({ requests_per_second: 5 }), 'callers.0 has an unknown field, `requests_per_second`.'],
    [caller({ models: [] }), 'callers.0.models must be an array of models’ ids, at least one.'],
    [caller({ learn: ['a b'] }), 'callers.0.learn.0 must be an array of models’ ids, at least one.'],
    [caller({ models: ['a'], learn: ['a', 'b'] }), 'callers.0.learn.1 must be one of models too.'],
    [
      caller({ models: ['gpt2', `${KEY}/`] }),
      'callers.0.models.1 must be an array of models’ ids, at least one.',
    ],
    [caller({ admin: 'yes' }), 'callers.0.admin must be true or false.'],
    [file({ name: 'a', key: 'x' }, { name: 'a', key: 'y' }), 'The name a stands twice.'],
    [file({ name: 'a', key: KEY }, { name: 'b', key: KEY }), 'a and b have the same key.'],
  ])('%s', (text, message) => {
    expect(problem(text)).toBe(message)
    expect(problem(text)).not.toContain(KEY)
  })

  test('more callers than there may be', () => {
    const many = Array.from({ length: MAX_CALLERS + 1 }, (_, i) => ({ name: `c${i}`, key: `key-${i}` }))
    expect(parseCallersFile(file(...many.slice(1)))).toHaveLength(MAX_CALLERS)
    expect(problem(file(...many))).toBe('There are 1001 keys. There may be 1000.')
  })
})
