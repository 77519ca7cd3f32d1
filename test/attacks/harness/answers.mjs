const HEAD_END = Buffer.from('\r\n\r\n')
const NOTHING = Buffer.alloc(0)
/** Bytes of a body that are kept: enough for an error's code, and for a number or two. */
const KEPT_BYTES = 65_536

/**
 * The answers on one connection, as their bytes come: `feed(chunk)` calls `onAnswer` for each that is complete.
 * Bodies are counted, and kept up to 64 KiB, or `keep` bytes: the reader of gigabytes stays small. `bodiless`
 * answers, those to HEAD, end with their head.
 *
 * An answer: `{ status, headers, bytes, body, cut }`; `cut` where the connection ended inside it.
 */
export class AnswerReader {
  #onAnswer
  #keep
  #bodiless
  #head = NOTHING
  #answer
  /** Bytes of the body still to come; Infinity: until the connection ends. */
  #left = 0
  #chunked = false
  /** The reader of a chunked body waits for one of these: a line with a size, data, the line end after it, the trailer. */
  #part = 'size'
  #line = ''

  constructor(onAnswer, { keep = KEPT_BYTES, bodiless = false } = {}) {
    this.#onAnswer = onAnswer
    this.#keep = keep
    this.#bodiless = bodiless
  }

  /** The answer that has begun and is not complete. */
  get begun() {
    return this.#answer
  }

  feed(chunk) {
    let rest = chunk
    while (rest.length > 0) rest = this.#answer === undefined ? this.#readHead(rest) : this.#readBody(rest)
  }

  /** The connection has ended. */
  end() {
    const answer = this.#answer
    if (answer === undefined) return
    this.#finish(this.#left !== Number.POSITIVE_INFINITY)
  }

  #readHead(chunk) {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    const at = bytes.indexOf(HEAD_END)
    if (at < 0) {
      this.#head = bytes
      return NOTHING
    }
    this.#head = NOTHING
    const [statusLine, ...lines] = bytes.toString('latin1', 0, at).split('\r\n')
    const status = Number(statusLine.split(' ')[1])
    const rest = bytes.subarray(at + HEAD_END.length)
    if (status >= 100 && status < 200) return rest
    const headers = Object.fromEntries(lines.map(fieldOf))
    this.#answer = { status, headers, bytes: 0, body: [], cut: false }
    this.#chunked = headers['transfer-encoding'] === 'chunked'
    this.#part = 'size'
    this.#left = this.#chunked ? 0 : Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (this.#bodiless || status === 204 || status === 304) {
      this.#chunked = false
      this.#left = 0
    }
    if (!this.#chunked && this.#left === 0) this.#finish(false)
    return rest
  }

  #readBody(bytes) {
    if (!this.#chunked || this.#part === 'data') {
      const taken = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes
      this.#left -= taken.length
      this.#keepBytes(taken)
      if (this.#left === 0) {
        if (this.#chunked) this.#part = 'after'
        else this.#finish(false)
      }
      return bytes.subarray(taken.length)
    }
    const end = bytes.indexOf(0x0a)
    this.#line += bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
    if (end < 0) return NOTHING
    this.#endLine(this.#line.trim())
    this.#line = ''
    return bytes.subarray(end + 1)
  }

  #endLine(line) {
    if (this.#part === 'after') this.#part = 'size'
    else if (this.#part === 'trailer') {
      if (line === '') this.#finish(false)
    } else {
      this.#left = Number.parseInt(line, 16)
      this.#part = this.#left === 0 ? 'trailer' : 'data'
    }
  }

  #keepBytes(bytes) {
    const answer = this.#answer
    const room = this.#keep - answer.bytes
    if (room > 0) answer.body.push(Buffer.from(bytes.subarray(0, room)))
    answer.bytes += bytes.length
  }

  #finish(cut) {
    const answer = this.#answer
    this.#answer = undefined
    this.#onAnswer({ ...answer, body: Buffer.concat(answer.body), cut })
  }
}

function fieldOf(line) {
  const colon = line.indexOf(':')
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
}

/** `overloaded` from an error answer's body; undefined for what is no error in the table's form. */
export function codeOf(answer) {
  if (answer.status < 400) return undefined
  try {
    return JSON.parse(answer.body.toString()).error.code
  } catch {
    return undefined
  }
}
