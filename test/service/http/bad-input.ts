import { expect } from 'vitest'
import { embed, type TestAnswer, type TestService } from '../../helper.js'

/** The request, apart from the path. */
export interface Situation {
  readonly name: string
  /** A value becomes JSON; text and bytes are sent as they are. */
  readonly body?: unknown
  readonly url?: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** `status code param`, as the contract has them. */
  readonly expected: readonly [status: number, code: string, param: string | null]
  /** Rule and value, which the message must have. */
  readonly says?: string | RegExp
}

export const text = 'I had always thought Jack Gisburn rather a cheap genius' // 13 tokens
export const ids = [40, 367, 2885, 1464, 1807]
export const windows = { text, context_length: 4 }

export const invalid = (param: string | null) => [400, 'invalid_request', param] as const

/** Limits small enough to be passed by a few kilobytes. */
export const LIMITS = {
  MAX_JSON_BODY_BYTES: '1000000',
  MAX_JSON_RESPONSE_BYTES: '20000',
  MAX_RESPONSE_BYTES: '10000',
  MAX_DOCUMENTS: '10000',
}

/** The form of every error answer. */
export function expectError(
  answer: Pick<TestAnswer, 'status' | 'headers' | 'body'>,
  [status, code, param]: Situation['expected'],
  says: Situation['says'] = '',
): void {
  const text = answer.body.toString()
  const { error, ...rest } = JSON.parse(text)
  expect([answer.status, error.code, error.param], text).toEqual([status, code, param])
  expect(rest).toEqual({})
  expect(Object.keys(error)).toEqual(['type', 'code', 'message', 'param'])
  expect(error.type).toMatch(/^[a-z_]+_error$/)
  expect(error.message).toMatch(says)
  expect(error.message.length).toBeLessThan(2000)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toMatch(/^[\w.:/+=@-]{1,128}$/)
}

/** The service still answers as before. */
export async function expectGoodRequest(service: Pick<TestService, 'app'>): Promise<void> {
  const good = await embed(service, { input_ids: [40, 367, 2885], outputs: ['input_ids'] })
  expect(good.status).toBe(200)
  expect(good.json().outputs.input_ids.data).toEqual([[40, 367, 2885]])
}
