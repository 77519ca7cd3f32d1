import { Aside, type AsideFile } from '../aside.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { type EndedShard, IdFile, type OutputFacts, type ShardOutput } from './output.js'

const TOKENS = 'tokens.bin'
const INDEX = 'tokens.idx'
/** Lengths of documents, int32, until the index can be written: its head has their number. */
const LENGTHS = 'lengths'

/** From so many ids on Megatron takes int32 in place of uint16 (`DType.optimal_dtype`). */
const WIDE_IDS = 65_500

/**
 * A folder with `tokens.bin` and `tokens.idx`, as Megatron-LM's `preprocess_data.py` writes them: a sequence for each document
 * that is not empty. `--data-path OUT/part-1-KEY/tokens` reads it.
 */
export class MegatronOutput implements ShardOutput {
  /** Of the document that goes on. */
  #length = 0
  #documents = 0

  private constructor(
    private readonly aside: Aside,
    private readonly files: { readonly tokens: AsideFile; readonly lengths: AsideFile },
    private readonly ids: IdFile,
    private readonly lengths: IdFile,
    private readonly dtype: keyof typeof MEGATRON_DTYPES,
  ) {}

  static async begin(out: string, { tokenizer }: OpenTokenizer): Promise<MegatronOutput> {
    const dtype = tokenizer.vocabSize < WIDE_IDS ? 'uint16' : 'int32'
    const aside = new Aside(out)
    const files = { tokens: await aside.open(TOKENS), lengths: await aside.open(LENGTHS) }
    const [ids, lengths] = [new IdFile(files.tokens, dtype), new IdFile(files.lengths, 'int32')]
    return new MegatronOutput(aside, files, ids, lengths, dtype)
  }

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    const lengths: number[] = []
    let start = -this.#length
    for (const end of ends) {
      if (end > start) lengths.push(end - start)
      start = end
    }
    this.#length = ids.length - start
    this.#documents += lengths.length
    await this.lengths.write(Int32Array.from(lengths))
    await this.ids.write(ids)
  }

  async commit({ name }: EndedShard): Promise<OutputFacts> {
    const sha256 = await this.ids.close()
    await this.lengths.close()
    const index = await this.aside.open(INDEX)
    const lengths = () => this.aside.blocks(LENGTHS)
    for await (const block of megatronIndex(this.dtype, this.#documents, lengths)) await index.write(block)
    await index.close()
    await this.aside.unlink(LENGTHS)
    await this.aside.moveAll(name)
    return {
      ...{ output: name, sha256, output_bytes: this.files.tokens.bytes + index.bytes },
      ...{ documents: this.#documents, tokens: this.ids.numTokens },
    }
  }

  async abandon(): Promise<void> {
    for (const file of Object.values(this.files)) await file.abandon()
    await this.aside.remove()
  }
}

/** Codes of element types in an index (`DType` of Megatron-LM's indexed_dataset.py). */
export const MEGATRON_DTYPES = { uint16: { code: 8, bytes: 2 }, int32: { code: 4, bytes: 4 } } as const

const MAGIC = Buffer.from('MMIDIDX\0\0', 'latin1')
const VERSION = 1n
/** Numbers of a block. */
const BLOCK = 1 << 13

/**
 * The index of Megatron-LM's datasets, little-endian: magic (9 bytes), version (uint64), type of ids (uint8), number of
 * sequences S and of documents + 1 (uint64), lengths [S] int32 in ids, where each begins [S] int64 in bytes, the first
 * sequence of each document and their end [S + 1] int64. Each document is one sequence.
 *
 * @param lengths their int32 bytes, in blocks cut between numbers; read twice
 */
export async function* megatronIndex(
  dtype: keyof typeof MEGATRON_DTYPES,
  count: number,
  lengths: () => AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array, void, void> {
  const { code, bytes } = MEGATRON_DTYPES[dtype]
  const head = Buffer.alloc(MAGIC.length + 25)
  MAGIC.copy(head)
  head.writeBigUInt64LE(VERSION, 9)
  head.writeUInt8(code, 17)
  head.writeBigUInt64LE(BigInt(count), 18)
  head.writeBigUInt64LE(BigInt(count + 1), 26)
  yield head
  yield* lengths()
  let place = 0n
  for await (const block of lengths()) {
    const places = new BigInt64Array(block.length / 4)
    for (let i = 0; i < places.length; i++) {
      places[i] = place
      place += BigInt(block.readInt32LE(4 * i) * bytes)
    }
    yield new Uint8Array(places.buffer)
  }
  for (let first = 0; first <= count; first += BLOCK) {
    const length = Math.min(BLOCK, count + 1 - first)
    yield new Uint8Array(BigInt64Array.from({ length }, (_, i) => BigInt(first + i)).buffer)
  }
}
