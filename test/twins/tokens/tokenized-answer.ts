import type { ByteTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { bytesOf, textOf } from './text-of-ids.js'

/** The full answer of `/v1/tokenize`, token by token, as JSON. */
export function tokenizedAnswer(encoding: ByteTokenizer, text: string, input_ids: readonly number[]): string {
  let end = 0
  const tokens = input_ids.map((id) => {
    const bytes = bytesOf(encoding, [id])
    const start = end
    end += bytes.length
    const { text, lossy } = textOf(bytes)
    return { id, bytes: bytes.toString('base64'), text: lossy ? null : text, start, end }
  })
  return JSON.stringify({
    input_ids,
    num_tokens: input_ids.length,
    num_characters: [...text].length,
    tokens,
  })
}
