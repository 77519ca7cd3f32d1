import { Aside, type AsideFile } from '../aside.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { IdFile } from './id-file.js'
import { type MEGATRON_DTYPES, megatronIndex } from './megatron-index.js'
import type { EndedShard, OutputFacts, ShardOutput } from './output.js'

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
