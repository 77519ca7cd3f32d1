import { describe, expect, test } from 'vitest'
import { UsageError } from '../../src/cli/program.js'
import { serviceOf } from '../../src/cli/service.js'

const service = (flags: Record<string, string>, env: Record<string, string> = {}) =>
  serviceOf(new Map(Object.entries(flags)), env)

describe('the service that is called', () => {
  test('is that of this machine where neither a flag nor a variable names one', () => {
    const local = { url: 'http://localhost:8000', key: 'k', timeoutSeconds: 3 }
    expect(service({ key: 'k', timeout: '3' }, { INLET_URL: '' })).toEqual(local)
  })

  test('is named by the flags, else by the variables; by default a minute of silence is allowed', () => {
    const env = { INLET_URL: 'http://variable', INLET_API_KEY: 'v', INLET_TIMEOUT: '7.5' }
    expect(service({}, env)).toEqual({ url: 'http://variable', key: 'v', timeoutSeconds: 7.5 })
    const flags = { url: 'https://flag', key: 'f', timeout: '0.25' }
    expect(service(flags, env)).toEqual({ url: 'https://flag', key: 'f', timeoutSeconds: 0.25 })
    expect(service({ url: 'http://a' })).toEqual({ url: 'http://a', key: undefined, timeoutSeconds: 60 })
  })

  test.each(['0', '-1', '1e3', 'soon', '', '86401', 'Infinity', '1,5'])('has no time-out of %j', (given) => {
    expect(() => service({ url: 'http://a', timeout: given })).toThrow(UsageError)
    expect(() => service({ url: 'http://a', timeout: given })).toThrow(
      /^--timeout, or INLET_TIMEOUT, must be seconds above 0/,
    )
    if (given === '') return // a variable that is empty is none
    expect(() => service({ url: 'http://a' }, { INLET_TIMEOUT: given })).toThrow(/INLET_TIMEOUT, must be/)
  })
})
