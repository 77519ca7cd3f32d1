import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Claim } from '../../load/claim.js'
import { ClientGone } from '../../load/client-gone.js'
import { bodyTooLarge } from '../../requests/too-large.js'
import { invite } from '../answers/expect-continue.js'
import { BodyBuffer, type BodyContent } from './body-buffer.js'
import { bodyChunks, checkContentLength } from './body-stream.js'
import { ChunkFraming } from './chunk-framing.js'
import { contentCoding } from './content-coding.js'

/**
 * A request's whole body, unpacked. The request's claim reserves its bytes.
 *
 * @param content UTF-8 is checked
 *
 * @throws InletError `body_too_large`, `invalid_encoding`, `invalid_unicode` with the byte offset, `overloaded`,
 *   `invalid_request` for chunks that are too small
 * @throws ClientGone where the body breaks off; also the error that the claim is aborted with
 */
export async function readBody(
  request: FastifyRequest,
  limit: number,
  content: BodyContent = 'UTF-8',
): Promise<Buffer> {
  checkContentLength(request, limit)
  const { claim, headers, raw } = request
  if (contentCoding(headers['content-encoding']) !== undefined) {
    const body = new BodyBuffer(claim, 0, content)
    for await (const chunk of bodyChunks(request, limit)) {
      const wait = body.write(chunk as Buffer)
      if (wait !== undefined) await wait
    }
    return body.end()
  }
  const length = Number(headers['content-length'] ?? 0)
  const wait = claim.take(length)
  if (wait !== undefined) await wait
  invite(raw)
  return readPlain(raw, new BodyBuffer(claim, length, content), limit, claim)
}

/** Reads by events: most bodies are one small chunk, and an iterator would cost more than the reading itself. */
function readPlain(raw: IncomingMessage, body: BodyBuffer, limit: number, claim: Claim): Promise<Buffer> {
  const framing = new ChunkFraming(raw)
  return new Promise((resolve, reject) => {
    const refuse = (error: unknown) => {
      forget()
      raw.off('data', onData).pause()
      reject(error)
    }
    const forget = claim.onAbort(refuse)
    const onData = (chunk: Buffer) => {
      try {
        if (body.length + chunk.length > limit) throw bodyTooLarge(limit)
        framing.check(body.length + chunk.length)
        const wait = body.write(chunk)
        if (wait === undefined) return
        raw.pause()
        wait.then(() => raw.resume(), refuse)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = () => {
      forget()
      try {
        resolve(body.end())
      } catch (error) {
        reject(error)
      }
    }
    const onGone = () => {
      if (!raw.readableEnded) reject(new ClientGone()) // a request that has ended closes too
    }
    raw.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}
