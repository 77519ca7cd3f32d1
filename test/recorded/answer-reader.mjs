import { setTimeout as delay } from 'node:timers/promises'

const CRLF = '\r\n'

/** Cuts a connection's bytes into answers. */
export class AnswerReader {
  #bytes = Buffer.alloc(0)
  #ended = false
  #wake = () => {}

  push(chunk) {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk])
    this.#wake()
  }

  end() {
    this.#ended = true
    this.#wake()
  }

  /**
   * The next answer to a request of that method; interim ones (100, 103) are in its `interim`.
   *
   * @returns { status, reason, headers, body, interim, isLast }, or { end: 'closed' | 'silent' }
   */
  async next(method, patienceMs) {
    const limit = performance.now() + patienceMs
    const interim = []
    for (;;) {
      const read = readAnswer(this.#bytes, method, this.#ended)
      if (read === undefined) {
        if (this.#ended) return { end: 'closed', left: this.#bytes.toString('latin1'), interim }
        if (performance.now() > limit) return { end: 'silent', left: this.#bytes.toString('latin1'), interim }
        await this.#more(limit - performance.now())
        continue
      }
      this.#bytes = this.#bytes.subarray(read.length)
      if (read.answer.status >= 200) return { ...read.answer, interim }
      interim.push(read.answer.status)
    }
  }

  async #more(milliseconds) {
    const stopped = new AbortController()
    await Promise.race([
      new Promise((resolve) => {
        this.#wake = resolve
      }),
      delay(Math.max(1, milliseconds), undefined, { signal: stopped.signal }).catch(() => {}),
    ])
    stopped.abort()
  }
}

/** The answer that the bytes begin with, and its length; undefined where it is not whole. */
function readAnswer(bytes, method, ended) {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line, ...fields] = bytes.toString('latin1', 0, end).split(CRLF)
  const [, status, reason = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(line) ?? []
  const headers = fields.map((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
  })
  const one = (name) => headers.find((each) => each[0] === name)?.[1]
  const answer = { status: Number(status), reason, headers, isLast: one('connection') === 'close' }
  const start = end + 4
  const hasNoBody = method === 'HEAD' || status === '204' || status === '304' || status < '200'
  if (hasNoBody) return { answer: { ...answer, body: Buffer.alloc(0) }, length: start }
  if (one('transfer-encoding') === 'chunked') {
    const chunked = readChunks(bytes, start)
    if (chunked === undefined) return ended ? cutOff(answer, bytes, start) : undefined
    return { answer: { ...answer, body: chunked.body }, length: chunked.end }
  }
  const length = one('content-length')
  if (length === undefined) {
    if (!ended) return undefined
    return { answer: { ...answer, body: bytes.subarray(start), isLast: true }, length: bytes.length }
  }
  if (bytes.length < start + Number(length)) return ended ? cutOff(answer, bytes, start) : undefined
  return {
    answer: { ...answer, body: bytes.subarray(start, start + Number(length)) },
    length: start + Number(length),
  }
}

/** An answer whose connection was closed within its body: where exactly differs from run to run. */
function cutOff(answer, bytes, start) {
  const body = Buffer.from(start < bytes.length ? 'cut off' : 'cut off at its head')
  return { answer: { ...answer, body, isLast: true, isCutOff: true }, length: bytes.length }
}

function readChunks(bytes, start) {
  const parts = []
  for (let at = start; ; ) {
    const end = bytes.indexOf(CRLF, at)
    if (end < 0) return undefined
    const length = Number.parseInt(bytes.toString('latin1', at, end), 16)
    const next = end + 2 + length + 2
    if (bytes.length < next) return undefined
    if (length === 0) return { body: Buffer.concat(parts), end: next }
    parts.push(bytes.subarray(end + 2, end + 2 + length))
    at = next
  }
}
