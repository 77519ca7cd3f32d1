import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { loadEncoding } from '../../../build/src/first-layer/tokens/encoding.js'
import { tokenizeAsync } from '../../../build/src/first-layer/tokens/tokenize.js'
import { bytesOfToken } from '../../../build/src/first-layer/tokens/vocabulary.js'

const TEXTS = ['../../../../shared/data/the-verdict.txt', '../../../docs/sample.txt', '../../../LICENSE']

/** A text to send: the course's, or another where it is absent. */
export function sampleText() {
  const [path] = TEXTS.map((url) => fileURLToPath(new URL(url, import.meta.url))).filter(existsSync)
  return readFileSync(path, 'utf8')
}

/** The part of the sample text, repeated where it is short, that `gpt2` makes `count` tokens of. */
export async function firstTokens(count) {
  const encoding = await loadEncoding('gpt2')
  let text = sampleText()
  while (text.length < 8 * count) text += text
  const ids = await tokenizeAsync(encoding, text, { allowedSpecial: new Set() })
  const bytes = Buffer.concat(
    Array.from({ length: count }, (_, i) => bytesOfToken(encoding.vocabulary, ids.at(i))),
  )
  return bytes.toString('utf8')
}

/** A JSON body and its headers. */
export function post(url, body, accept = '*/*') {
  return { url, body: JSON.stringify(body), headers: { 'content-type': 'application/json', accept } }
}

const PATH = '/v1/input-embeddings'

/** How each format is asked for, of us and of FastAPI. */
export const FORMATS = {
  binary: {
    own: (server, body) => post(server.url + PATH, body, 'application/octet-stream'),
    theirs: ['binary'],
  },
  base64: {
    own: (server, body) =>
      post(server.url + PATH, { ...body, encoding_format: 'base64' }, 'application/json'),
    theirs: ['base64'],
  },
  JSON: {
    own: (server, body) => post(server.url + PATH, body, 'application/json'),
    theirs: ['orjson', 'json'],
  },
}

export function toFastapi(server, body, format) {
  return post(server.url + PATH, { ...body, format })
}
