import { DONE, instantiateTokenizeKernel, MORE, type TokenizeKernel } from '../../kernels/tokenize-kernel.js'
import type { PatternTable } from './pattern-table.js'

const WINDOW_BYTES = 131_072
/** Bytes of ranks that are read, and tokens that are worked on, between two pauses. */
const RANK_BYTES = 65_536
const STEPS = 256
/** Bytes copied between two pauses. */
const COPY_BYTES = 1 << 20
/** Room for the counts that building needs beside a uint32 per token. */
const COUNT_BYTES = 4096

/** Tokens in the order of their forming: token `t` is `bytes[offsets[t] … offsets[t + 1]]`. */
export interface MergeOrder {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
}

/** A kernel whose tables are being built, which takes tens of milliseconds. */
export class KernelTables {
  #scratch = 0
  readonly kernel: TokenizeKernel = instantiateTokenizeKernel()

  /** @param pause called between two slices of the work, some tenths of a millisecond each */
  constructor(private readonly pause?: () => Promise<void> | undefined) {}

  /** The tokens, as views of the kernel's memory: empty once it has grown. */
  get tokens(): MergeOrder {
    const { memory, tokenBytes, tokenStarts, tokenCount } = this.kernel
    const offsets = new Uint32Array(memory.buffer, tokenStarts.value, tokenCount() + 1)
    return { bytes: new Uint8Array(memory.buffer, tokenBytes.value, offsets[offsets.length - 1]), offsets }
  }

  /** Takes tokens from ranks in js-tiktoken's form, lines of `! FIRST_RANK TOKEN TOKEN …`. */
  async readRanks(ranks: Uint8Array): Promise<void> {
    const { kernel } = this
    this.#scratch = kernel.reserve(ranks.length + COUNT_BYTES)
    await this.#copy(ranks, this.#scratch)
    // In the rank file a token takes at least five bytes.
    kernel.beginRanks(this.#scratch, ranks.length, Math.ceil(ranks.length / 5))
    const broken = await this.#inSteps(() => kernel.readSomeRanks(RANK_BYTES))
    if (broken !== DONE) throw new Error('the ranks are not in the form `! FIRST_RANK TOKEN TOKEN …`')
  }

  /** Takes tokens that are there already. */
  async place({ bytes, offsets }: MergeOrder): Promise<void> {
    const { kernel } = this
    kernel.placeTokens(offsets.length - 1, bytes.length)
    await this.#copy(bytes, kernel.tokenBytes.value)
    await this.#copy(bytesOf(offsets), kernel.tokenStarts.value)
    this.#scratch = kernel.reserve(offsets.byteLength + COUNT_BYTES)
  }

  /**
   * Builds the tables.
   *
   * @param ids the id of each token, those of `whole` behind the others; absent where tokens are ids
   * @param whole tokens that count only where they are a whole piece
   */
  async build(pattern: PatternTable, ids?: Int32Array, whole?: MergeOrder): Promise<TokenizeKernel> {
    const { kernel } = this
    const { index, pages, regions, transitions } = pattern
    const classes = kernel.reserveClasses(pages.length, regions.length)
    await this.#copy(Buffer.concat([bytesOf(index), pages, regions]), classes)
    const states = kernel.reserve(transitions.byteLength)
    await this.#copy(bytesOf(transitions), states)
    const names = ids === undefined ? 0 : kernel.reserve(ids.byteLength)
    if (ids !== undefined) await this.#copy(bytesOf(ids), names)
    const seeds = crypto.getRandomValues(new BigUint64Array(2))
    kernel.beginTables(this.#scratch, names, seeds[0], seeds[1], whole ? whole.offsets.length - 1 : 0)
    const broken = await this.#inSteps(() => kernel.buildSome(STEPS))
    if (broken !== DONE) throw new Error(`token ${broken} is not the merge of two tokens before it`)
    if (whole !== undefined) await this.#addWhole(whole)
    kernel.setUp(states, WINDOW_BYTES)
    return kernel
  }

  async #addWhole({ bytes, offsets }: MergeOrder): Promise<void> {
    const { kernel } = this
    const at = kernel.reserve(bytes.length)
    await this.#copy(bytes, at)
    const first = kernel.tokenCount()
    for (let i = 0; i + 1 < offsets.length; i++) {
      if (i % STEPS === 0) await this.pause?.()
      kernel.addWhole(first + i, at + offsets[i], offsets[i + 1] - offsets[i])
    }
  }

  async #inSteps(work: () => number): Promise<number> {
    while (true) {
      await this.pause?.()
      const result = work()
      if (result !== MORE) return result
    }
  }

  async #copy(bytes: Uint8Array, to: number): Promise<void> {
    for (let start = 0; start < bytes.length; start += COPY_BYTES) {
      await this.pause?.()
      new Uint8Array(this.kernel.memory.buffer, to).set(bytes.subarray(start, start + COPY_BYTES), start)
    }
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array | Uint32Array | Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}
