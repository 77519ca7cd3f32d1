import { describe, expect, it } from 'vitest'
import { ConnectionFailed, Refused } from '../../../../clients/typescript/src/index.js'
import { stateOf } from '../../../../src/features/explorer/page/failures.js'

const of = (status: number, code: string | null, param: string | null = null, after: number | null = null) =>
  stateOf(new Refused('why', { status, code, param, retryAfter: after, requestId: null }), 1)

describe('the page after a call without an answer', () => {
  it('asks for the key', () => {
    expect(of(401, 'unauthorized', 'authorization')).toEqual({ kind: 'key' })
  })

  it('waits as long as a busy service asks for, and never for hours', () => {
    expect(of(503, 'loading', null, 3)).toEqual({ kind: 'busy', seconds: 3 })
    expect(of(503, 'overloaded', null, 0)).toEqual({ kind: 'busy', seconds: 1 })
    expect(of(503, null)).toEqual({ kind: 'busy', seconds: 5 })
    expect(of(503, 'model_loading', null, 1e9)).toEqual({ kind: 'busy', seconds: 120 })
  })

  it('does not wait for a model that cannot be loaded', () => {
    expect(of(422, 'model_failed', 'model')).toEqual({ kind: 'field' })
  })

  it('waits longer each time for a service that is silent', () => {
    const silent = new ConnectionFailed('why')
    const seconds = [1, 2, 3, 4, 5, 6, 60].map((attempts) => stateOf(silent, attempts))
    expect(seconds.map((state) => 'seconds' in state && state.seconds)).toEqual([2, 4, 8, 15, 30, 30, 30])
    expect(of(502, null).kind).toBe('offline')
  })

  it('offers a shorter text where the body was too large, and not where the answer was', () => {
    expect(of(413, 'body_too_large')).toEqual({ kind: 'too-large' })
    expect(of(413, null)).toEqual({ kind: 'too-large' })
    expect(of(413, 'response_too_large')).toEqual({ kind: 'refused' })
  })

  it('leaves an error to the field that it names, and shows all others itself', () => {
    expect(of(400, 'invalid_request', 'stride')).toEqual({ kind: 'field' })
    expect(of(400, 'invalid_request', 'position_embedding.head_dim')).toEqual({ kind: 'field' })
    expect(of(400, 'invalid_request', 'strideless')).toEqual({ kind: 'refused' })
    expect(of(422, 'batch_out_of_range', 'batch_index')).toEqual({ kind: 'refused' })
    expect(of(500, 'internal')).toEqual({ kind: 'refused' })
  })
})
