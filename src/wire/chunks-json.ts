import type { Chunks } from '../first-layer/windows/chunks.js'

/** Most chunks whose JSON is made between two looks at the clock. */
const SLICE = 64

/** The chunks of one text. */
export interface ChunkedText {
  readonly chunks: Chunks
  readonly numTokens: number
  /** Its UTF-8, where the chunks are to have their texts. */
  readonly utf8: Buffer | undefined
}

/**
 * The answer of `/v1/chunks`, some chunks at a time: `{"num_tokens":3,"num_chunks":1,"chunks":[{"byte_offsets":[0,5],
 * "char_offsets":[0,5],"num_tokens":3}]}`.
 *
 * @param isList whether the request brought a list, so that the answer tells its texts apart
 */
export function* chunksJson(texts: readonly ChunkedText[], isList: boolean): Generator<string, void, void> {
  const total = (of: (text: ChunkedText) => number) => texts.reduce((sum, text) => sum + of(text), 0)
  yield `{"num_tokens":${total((text) => text.numTokens)},"num_chunks":${total(({ chunks }) => chunks.count)},"chunks":[`
  let comma = ''
  for (const { chunks, utf8 } of texts) {
    for (let i = 0; i < chunks.count; ) {
      let items = ''
      const last = utf8 === undefined ? Math.min(i + SLICE, chunks.count) : i + 1
      for (; i < last; i++, comma = ',') {
        const { tokens, bytes, characters } = chunks.at(i)
        const text = utf8 && `,"text":${JSON.stringify(utf8.toString('utf8', bytes[0], bytes[1]))}`
        const places = `"byte_offsets":[${bytes}],"char_offsets":[${characters}]`
        items += `${comma}{${places},"num_tokens":${tokens[1] - tokens[0]}${text ?? ''}}`
      }
      yield items
    }
  }
  yield ']'
  if (isList) yield* documents(texts)
  yield '}'
}

function* documents(texts: readonly ChunkedText[]): Generator<string, void, void> {
  yield ',"documents":['
  let start = 0
  for (const [d, { chunks, numTokens }] of texts.entries()) {
    const counts = `"num_chunks":${chunks.count},"num_tokens":${numTokens}`
    yield `${d === 0 ? '' : ','}{"start":${start},${counts}}`
    start += chunks.count
  }
  yield ']'
}
