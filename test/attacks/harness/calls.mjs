import { performance } from 'node:perf_hooks'
import { AnswerReader, codeOf } from './answers.mjs'
import { head, openConnection } from './connections.mjs'

/**
 * Sends one request on a separate connection and reads its answer to the end.
 *
 * @param port the service's
 * @param request { method, path, headers, body } (body: Buffer or text); `leaveAfter` ends the connection after so
 *   many bytes of the answer's body, `leaveAfterMs` after so many milliseconds; `holdMs` reads nothing for so long
 *   once an answer has begun; `halfClose` ends our side first; `keep` bytes of the body are kept
 * @returns { status, code, headers, body, bytes, ms, problem }; status 0 where no answer came, `problem` says why.
 *   Never throws.
 */
export function call(port, request) {
  const { method = request.body === undefined ? 'GET' : 'POST', path, headers, body } = request
  const length = body === undefined ? undefined : Buffer.byteLength(body)
  const bytes = [head(method, path, { Connection: 'close', ...headers }, length)]
  if (body !== undefined) bytes.push(body)
  return exchange(port, bytes, request)
}

/** The same with bytes as they are, in parts; the first answer counts. */
export function exchange(port, parts, { leaveAfter, leaveAfterMs, holdMs, halfClose = false, keep } = {}) {
  const started = performance.now()
  const socket = openConnection(port)
  return new Promise((resolve) => {
    let headMs
    let patience
    const finish = (answer, problem) => {
      clearTimeout(patience)
      // Without our reset the port would stay taken for a minute.
      socket.resetAndDestroy()
      const { status = 0, headers = {}, body = Buffer.alloc(0), bytes = 0 } = answer ?? {}
      const ms = performance.now() - started
      resolve({ status, code: answer && codeOf(answer), headers, body, bytes, ms, headMs, problem })
    }
    const reader = new AnswerReader((answer) => finish(answer, answer.cut ? 'cut' : undefined), { keep })
    socket.on('data', (chunk) => {
      headMs ??= performance.now() - started
      reader.feed(chunk)
      const { begun } = reader
      if (begun !== undefined && holdMs !== undefined) {
        socket.pause()
        setTimeout(finish, holdMs, { ...begun, body: Buffer.concat(begun.body) }, 'left')
      }
      if (begun !== undefined && leaveAfter !== undefined && begun.bytes >= leaveAfter) {
        finish({ ...begun, body: Buffer.concat(begun.body) }, 'left')
      }
    })
    socket.on('end', () => {
      reader.end()
      finish(undefined, 'no answer')
    })
    socket.on('close', () => {
      reader.end()
      finish(undefined, socket.problem ?? 'no answer')
    })
    if (leaveAfterMs !== undefined) patience = setTimeout(finish, leaveAfterMs, undefined, 'left')
    for (const part of parts) socket.write(part)
    if (halfClose) socket.end()
  })
}

/** `count` calls at once: `request(i)` each. */
export function callAll(port, count, request) {
  return Promise.all(Array.from({ length: count }, (_, i) => call(port, request(i))))
}

/** Works of `count`, at most `atOnce` at a time: `work(i)` in order. */
export async function inTurn(count, atOnce, work) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}
