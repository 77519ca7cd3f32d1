import { join } from 'node:path'
import { Aside, type AsideFile } from '../aside.js'
import type { OpenModel } from '../open-model.js'
import type { Target } from '../recipe.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { MegatronOutput } from './megatron-output.js'
import { DatasetOutput, type EndedShard, IdFile, type OutputFacts, type ShardOutput } from './output.js'

interface OutputOptions {
  /** The run's folder. */
  readonly out: string
  readonly made: OpenTokenizer
  /** Present for embeddings. */
  readonly model: OpenModel | undefined
}

type Begin = (options: OutputOptions) => Promise<ShardOutput>

const OUTPUTS: Readonly<Record<Target, Begin>> = {
  ids: async ({ out, made }) => new DatasetOutput(out, made),
  bin: ({ out, made }) => BinOutput.begin(out, made.dtype),
  megatron: ({ out, made }) => MegatronOutput.begin(out, made),
  safetensors: embeddings,
  npy: embeddings,
}

/** Begins a shard's output. */
export function openOutput(to: Target, options: OutputOptions): Promise<ShardOutput> {
  return OUTPUTS[to](options)
}

/** Loads what computes embeddings: ids do without. */
async function embeddings({ out, model }: OutputOptions): Promise<ShardOutput> {
  const { EmbeddingsOutput } = await import('./embeddings-output.js')
  return new EmbeddingsOutput(out, model!)
}

const PART = 'ids.bin'

/** All ids one after the other, without a header: nanoGPT's `train.bin`. */
class BinOutput implements ShardOutput {
  #documents = 0

  private constructor(
    private readonly out: string,
    private readonly aside: Aside,
    private readonly file: AsideFile,
    private readonly ids: IdFile,
  ) {}

  static async begin(out: string, dtype: 'uint16' | 'uint32'): Promise<BinOutput> {
    const aside = new Aside(out)
    const file = await aside.open(PART)
    return new BinOutput(out, aside, file, new IdFile(file, dtype))
  }

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    this.#documents += ends.length
    await this.ids.write(ids)
  }

  async commit({ name }: EndedShard): Promise<OutputFacts> {
    const sha256 = await this.ids.close()
    const output = `${name}.bin`
    await this.aside.move(PART, join(this.out, output))
    return {
      ...{ output, sha256, output_bytes: this.file.bytes },
      ...{ documents: this.#documents, tokens: this.ids.numTokens },
    }
  }

  async abandon(): Promise<void> {
    await this.file.abandon()
    await this.aside.remove()
  }
}
