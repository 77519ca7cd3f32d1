import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, test } from 'vitest'
import { endWatcher } from '../../../../src/service/answer/request-end.js'
import { answerClientError } from '../../../../src/service/connections/client-errors.js'

/** A connection that Node writes no answer to; what was written, and whether it was closed. */
function quietSocket() {
  const done = { written: [] as string[], isDestroyed: false }
  const socket = Object.assign(new EventEmitter(), {
    writable: true,
    end: (text: string) => void done.written.push(text),
    destroy: () => {
      done.isDestroyed = true
    },
  })
  return { socket: socket as unknown as Socket, done }
}

const badToken = Object.assign(new Error('x'), { code: 'HPE_INVALID_METHOD', reason: 'Invalid method' })

describe('bytes that are no HTTP', () => {
  test('are answered in the form of every error, and the connection is ended', () => {
    const { socket, done } = quietSocket()
    expect(answerClientError(badToken, socket)).toBe('invalid_request')
    expect(done.written).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Invalid method/),
    ])
  })

  test('are not answered where the client has reset the connection', () => {
    const reset = Object.assign(new Error('x'), { code: 'ECONNRESET' })
    const { socket, done } = quietSocket()
    expect(answerClientError(reset, socket)).toBeUndefined()
    expect(done).toEqual({ written: [], isDestroyed: true })
  })

  test('in the middle of an answer close the connection: the client would read an error as a part of it', () => {
    const { socket, done } = quietSocket()
    const request = { raw: { socket } } as unknown as FastifyRequest
    const raw = Object.assign(new EventEmitter(), { headersSent: true })
    endWatcher([])(request, { raw } as unknown as FastifyReply)
    expect(answerClientError(badToken, socket)).toBeUndefined()
    expect(done).toEqual({ written: [], isDestroyed: true })
  })

  test.each([
    ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
    ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ])('%s is answered as %s', (code, expected) => {
    const { socket } = quietSocket()
    expect(answerClientError(Object.assign(new Error('x'), { code }), socket)).toBe(expected)
  })
})
