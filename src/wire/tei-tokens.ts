import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../first-layer/tokens/vocabulary.js'
import type { TextDocuments } from '../first-layer/windows/text-documents.js'
import type { TextsUtf8 } from './tokenized.js'

/** Most tokens whose JSON is made between two looks at the clock. */
const SLICE = 64

/**
 * The tokens of texts as Text Embeddings Inference writes them, a few at a time:
 * `[[{"id":5,"text":"cat","special":false,"start":0,"stop":3}]]`.
 *
 * @param utf8 the texts, needed where the ids come with ranges
 */
export function* teiTokens(
  tokenizer: Tokenizer,
  list: TextDocuments,
  utf8?: TextsUtf8,
): Generator<string, void, void> {
  const around = new Set(tokenizer.specialTokens.values())
  const { ids } = list
  for (let d = 0; d < list.count; d++) {
    yield d === 0 ? '[[' : '],['
    let place = 0
    const [first, end] = [list.start(d), list.start(d + 1)]
    for (let index = first; index < end; ) {
      let items = ''
      for (const last = Math.min(index + SLICE, end); index < last; index++) {
        const id = ids.at(index)
        const start = ids.ranges?.at(2 * index) ?? place
        const own = ids.ranges ? undefined : bytesOfToken(tokenizer.vocabulary!, id)
        const stop = ids.ranges?.at(2 * index + 1) ?? place + (own?.length ?? 0)
        place = stop
        const special = start === stop && around.has(id)
        const base = utf8?.starts.at(d) ?? 0
        const bytes = own ?? utf8!.bytes.subarray(base + start, base + stop)
        const text = special ? (tokenizer.tokenText(id) ?? '') : decoder.decode(bytes)
        const places = special ? { start: null, stop: null } : { start, stop }
        items += `${index === first ? '' : ','}${JSON.stringify({ id, text, special, ...places })}`
      }
      yield items
    }
  }
  yield ']]'
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
