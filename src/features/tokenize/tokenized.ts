import { PAUSE, type Steps } from '../../first-layer/steps.js'
import type { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../../first-layer/tokens/vocabulary.js'
import type { TextDocuments } from '../../first-layer/windows/documents.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import type { TextsUtf8 } from '../../service/request/documents/token-documents.js'

/** Most tokens whose JSON is made at a time, and its length beyond which no token is added. */
const SLICE = 512
const SLICE_UNITS = 1 << 15
const TEXTS = 256

interface Tokens {
  readonly ids: TokenBuffer
  readonly entryOf: (id: number) => Entry
  readonly utf8: TextsUtf8 | undefined
  readonly list: TextDocuments | undefined
}

/**
 * The full answer of `/v1/tokenize` as a stream of JSON text, so that millions of tokens never exist as objects.
 * Its size is computed beforehand.
 *
 * `{"input_ids":[15496],"num_tokens":1,"num_characters":5,"tokens":[{"id":15496,"bytes":"SGVsbG8=","text":"Hello","start":0,"end":5}]}`
 *
 * Where the ids come with ranges, `bytes` are those of the text: `Running` as `run`, `##ning` gives
 * `{"id":3,"bytes":"UnVu","text":"run","start":0,"end":3},{"id":4,"bytes":"bmluZw==","text":"##ning","start":3,"end":7}`
 *
 * @param list the texts whose ids they are, each with its offsets; absent for a single text, not given as a list
 * @param utf8 the texts, needed where the ids come with ranges
 */
export function* tokenizedJson(
  tokenizer: Tokenizer,
  ids: TokenBuffer,
  list?: TextDocuments,
  utf8?: TextsUtf8,
): Steps<EncodedAnswer> {
  const tokens = { ids, entryOf: entriesOf(tokenizer), utf8, list }
  const before = '{"input_ids":['
  const between = `],"num_tokens":${ids.length},"num_characters":${ids.characters},"tokens":[`
  const sizes = (yield* elementBytes(tokens)) + (yield* endBytes(list))
  const size = before.length + between.length + sizes + 1
  function* body() {
    yield Buffer.from(before)
    let separator = ''
    for (const block of ids.blocks()) {
      for (let start = 0; start < block.length; start += SLICE) {
        yield Buffer.from(separator + block.subarray(start, start + SLICE).join(','))
        separator = ','
      }
    }
    yield Buffer.from(between)
    for (const items of tokenItems(tokens)) yield Buffer.from(items)
    yield Buffer.from(']')
    for (const part of end(list)) yield Buffer.from(part)
  }
  return { size, exact: true, headers: {}, body: body() }
}

/** The answer of `/v1/tokenize` to a list of texts under `count_only`. */
export function* listCounts(list: TextDocuments): Steps<EncodedAnswer> {
  const counts = `{"num_tokens":${list.totalTokens},"num_characters":${list.totalCharacters}`
  const size = counts.length + (yield* endBytes(list))
  function* body() {
    yield Buffer.from(counts)
    for (const part of end(list)) yield Buffer.from(part)
  }
  return { size, exact: true, headers: {}, body: body() }
}

/**
 * The end of an answer: for a list of texts where each one's ids begin, some texts at a time. `}`, or
 * `,"documents":[{"start":0,"num_tokens":4,"num_characters":13}]}`
 */
function* end(list?: TextDocuments): Generator<string, void, void> {
  if (list === undefined) return yield '}'
  yield ',"documents":['
  for (let d = 0; d < list.count; ) {
    let items = ''
    for (const last = Math.min(d + TEXTS, list.count); d < last; d++) {
      const counts = `"num_tokens":${list.length(d)},"num_characters":${list.characters(d)}`
      items += `${d === 0 ? '' : ','}{"start":${list.start(d)},${counts}}`
    }
    yield items
  }
  yield ']}'
}

function* endBytes(list?: TextDocuments): Steps<number> {
  let bytes = 0
  for (const part of end(list)) {
    yield PAUSE
    bytes += part.length
  }
  return bytes
}

/** Bytes of the elements of `input_ids` and `tokens`, with a comma between two. */
function* elementBytes({ ids, entryOf, utf8, list }: Tokens): Steps<number> {
  if (ids.length === 0) return 0
  let bytes = 2 * ids.length - 2
  const places = new Places(ids, list)
  for (let index = 0; index < ids.length; index++) {
    if (index % SLICE === 0) yield PAUSE
    const id = ids.at(index)
    const { base64, length, size } = entryOf(id)
    const { start, end } = places.next(length)
    const given = utf8 === undefined ? base64.length : 4 * Math.ceil((end - start) / 3)
    bytes += digits(id) + size + given + digits(start) + digits(end) + ',"end":}'.length
  }
  return bytes
}

function digits(value: number): number {
  let count = 1
  for (let most = 10; value >= most; most *= 10) count++
  return count
}

function* tokenItems({ ids, entryOf, utf8, list }: Tokens): Generator<string, void, void> {
  const places = new Places(ids, list)
  for (let index = 0; index < ids.length; ) {
    let items = ''
    const last = Math.min(index + SLICE, ids.length)
    for (; index < last && items.length < SLICE_UNITS; index++) {
      const { head, base64, tail, length } = entryOf(ids.at(index))
      const { start, end } = places.next(length)
      const first = (utf8?.starts.at(places.text) ?? 0) + start
      const bytes = utf8 === undefined ? base64 : utf8.bytes.toString('base64', first, first + end - start)
      items += `${index === 0 ? '' : ','}${head}${bytes}${tail}${start},"end":${end}}`
    }
    yield items
  }
}

/** The places of tokens in their texts: by their ranges, or one after the other. */
export class Places {
  start = 0
  end = 0
  text = 0
  #index = 0
  #textEnd: number

  constructor(
    private readonly ids: TokenBuffer,
    private readonly list: TextDocuments | undefined,
  ) {
    this.#textEnd = list?.start(1) ?? ids.length
  }

  /** The next token's place. @param length its own bytes */
  next(length: number): this {
    const { list, ids } = this
    for (; list !== undefined && this.#index === this.#textEnd; this.end = 0)
      this.#textEnd = list.start(++this.text + 1)
    this.start = ids.ranges?.at(2 * this.#index) ?? this.end
    this.end = ids.ranges?.at(2 * this.#index + 1) ?? this.start + length
    this.#index++
    return this
  }
}

/** The parts of a token's JSON that depend on its id alone. */
interface Entry {
  /** `{"id":15496,"bytes":"` */
  readonly head: string
  /** The token's own bytes in base64, if it has any. */
  readonly base64: string
  /** `","text":"Hello","start":` */
  readonly tail: string
  readonly length: number
  readonly size: number
}

const entries = new WeakMap<Tokenizer, (id: number) => Entry>()

/** The entries of a tokenizer's ids, each made when its id first comes, and kept. */
function entriesOf(tokenizer: Tokenizer): (id: number) => Entry {
  let entryOf = entries.get(tokenizer)
  if (entryOf === undefined) {
    const made = new Array<Entry | undefined>(tokenizer.vocabSize)
    entryOf = (id) => (made[id] ??= entryFor(tokenizer, id))
    entries.set(tokenizer, entryOf)
  }
  return entryOf
}

/** A token that does not consist of whole characters has the text `null`. */
function entryFor(tokenizer: Tokenizer, id: number): Entry {
  const own = tokenizer.vocabulary && bytesOfToken(tokenizer.vocabulary, id)
  const base64 = own === undefined ? '' : Buffer.from(own).toString('base64')
  const head = `{"id":${id},"bytes":"`
  const tail = `","text":${JSON.stringify(tokenizer.tokenText(id) ?? null)},"start":`
  return { head, base64, tail, length: own?.length ?? 0, size: head.length + Buffer.byteLength(tail) }
}
