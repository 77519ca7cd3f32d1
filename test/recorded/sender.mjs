import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { AnswerReader } from './answer-reader.mjs'

const ANSWER_MS = 20_000

/** Sends requests to one service, on a kept connection unless the request asks for a new one. */
export class Sender {
  #port
  #socket
  #reader

  constructor(port) {
    this.#port = port
  }

  /**
   * Sends a request and reads its answers.
   *
   * @param request `{ method, path, headers, body }`; `chunks` in place of `body`: sent with chunked coding;
   *   `raw`: all bytes as they go out, on a separate connection; `answers`: how many answers to read (1)
   * @returns the answers, `{ status, reason, headers, body }`; the last one may be `{ end: 'closed' }`
   */
  async send(request) {
    const isAlone = request.raw !== undefined
    if (isAlone || this.#socket === undefined) await this.#open()
    try {
      return await this.#exchange(request)
    } finally {
      if (isAlone) this.close()
    }
  }

  close() {
    this.#socket?.destroy()
    this.#socket = undefined
  }

  async #open() {
    this.close()
    const socket = connect(this.#port, '127.0.0.1')
    const reader = new AnswerReader()
    socket.on('data', (chunk) => reader.push(chunk))
    socket.on('close', () => {
      reader.end()
      if (this.#socket === socket) this.#socket = undefined
    })
    socket.on('error', () => {})
    this.#socket = socket
    this.#reader = reader
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
  }

  async #exchange(request) {
    const { method = 'GET', raw, answers = 1 } = request
    const socket = this.#socket
    const reader = this.#reader
    if (socket === undefined) return [{ end: 'refused' }]
    const parts = raw === undefined ? [bytesOf(request)] : [raw].flat()
    const seen = []
    const written = this.#write(socket, parts)
    for (let i = 0; i < answers; i++) {
      const answer = await reader.next(request.methods?.[i] ?? method, ANSWER_MS)
      seen.push(answer)
      if (answer.end !== undefined) break
      if (answer.isLast) this.close()
    }
    if (seen.at(-1).end === 'silent') this.close()
    await written
    return seen
  }

  async #write(socket, parts) {
    for (const part of parts) {
      if (typeof part === 'number') await delay(part)
      else if (!socket.destroyed) socket.write(part)
    }
  }
}

/** A request's bytes: head and body. */
export function bytesOf({ method = 'GET', path, headers = {}, body, chunks }) {
  const lines = [`${method} ${path} HTTP/1.1`, 'host: inlet.test']
  for (const [name, value] of Object.entries(headers)) {
    for (const each of [value].flat()) lines.push(`${name}: ${each}`)
  }
  if (chunks !== undefined) {
    lines.push('transfer-encoding: chunked')
    const coded = chunks.flatMap((chunk) => {
      const bytes = Buffer.from(chunk)
      return [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]
    })
    return Buffer.concat([head(lines), ...coded, Buffer.from('0\r\n\r\n')])
  }
  if (body === undefined) return head(lines)
  const bytes = Buffer.from(body)
  lines.push(`content-length: ${bytes.length}`)
  return Buffer.concat([head(lines), bytes])
}

const head = (lines) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
