import { isUtf8 } from 'node:buffer'
import {
  instantiateTokenJsonKernel,
  TOKEN_JSON_SLACK,
  type TokenJsonKernel,
} from '../first-layer/kernels/token-json-kernel.js'
import { nameOf, type Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { bytesOfToken } from '../first-layer/tokens/vocabulary.js'

/** Bytes that are reserved for entries at a time. */
const ARENA_BYTES = 1 << 20
/** Most bytes of an entry's text: with its offsets a token fits into any block of an answer. */
const MAX_TEXT_BYTES = 1 << 15
/** Bytes of an entry's two numbers. */
const HEAD_BYTES = 8
/** Bytes of the longest token that has an entry: its characters take up to six bytes each, and base64 is there too. */
export const MAX_ENTRY_TOKEN_BYTES = 1_200
const MAX_ENTRY_BYTES = HEAD_BYTES + MAX_TEXT_BYTES + TOKEN_JSON_SLACK

const encoder = new TextEncoder()

/**
 * For each id of a lossless tokenizer, the JSON of its token except the offsets, in the kernel's memory. An entry is made
 * when its id first comes, and kept: making it takes a microsecond, copying it a fiftieth of one.
 *
 * The vocabulary bounds the memory of all entries: 3.4 MB for gpt2, 14 MB for o200k_base.
 */
export class TokenEntries {
  readonly kernel: TokenJsonKernel = instantiateTokenJsonKernel()
  /** Address of a word for each id: its entry's address, 0 where none is made yet. */
  readonly table: number
  /** A view of the kernel's whole memory; replaced when the memory has grown. */
  #words = new Int32Array(0)
  #bytes = new Uint8Array(0)
  #next = 0
  #arenaEnd = 0

  constructor(private readonly tokenizer: Tokenizer) {
    this.table = this.reserve(4 * tokenizer.vocabSize)
  }

  /** The kernel's memory as words and as bytes, until the next `reserve` or `make`. */
  get words(): Int32Array {
    return this.#words
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Reserves kernel memory for ever; returns its address. */
  reserve(bytes: number): number {
    const address = this.kernel.reserve(bytes)
    const { buffer } = this.kernel.memory
    this.#words = new Int32Array(buffer)
    this.#bytes = new Uint8Array(buffer)
    return address
  }

  /** Makes the entry of an id that has none. */
  make(id: number): void {
    if (this.#next + MAX_ENTRY_BYTES > this.#arenaEnd) {
      this.#next = this.reserve(ARENA_BYTES)
      this.#arenaEnd = this.#next + ARENA_BYTES
    }
    const entry = this.#next
    const { vocabulary } = this.tokenizer
    const token = vocabulary && bytesOfToken(vocabulary, id)
    if (token === undefined) throw new RangeError(`id ${id} is no token of ${nameOf(this.tokenizer)}`)
    const text = entryText(id, token)
    const start = entry + HEAD_BYTES
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(start, this.#arenaEnd))
    this.#words[entry >>> 2] = written
    this.#words[(entry >>> 2) + 1] = token.length
    this.#words[(this.table >>> 2) + id] = entry
    this.#next = (start + written + 3) & ~3
  }
}

/**
 * The JSON of a token up to its offsets. A token that does not consist of whole characters has the text `null`.
 */
function entryText(id: number, token: Uint8Array): string {
  const bytes = Buffer.from(token.buffer, token.byteOffset, token.byteLength)
  const text = isUtf8(bytes) ? JSON.stringify(bytes.toString()) : 'null'
  return `{"id":${id},"bytes":"${bytes.toString('base64')}","text":${text},"start":`
}
