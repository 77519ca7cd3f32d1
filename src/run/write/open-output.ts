import type { OpenModel } from '../open-model.js'
import type { Target } from '../recipe.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { arrowIds } from './arrow-ids.js'
import { BinOutput } from './bin-output.js'
import { DatasetOutput } from './dataset-output.js'
import { MegatronOutput } from './megatron-output.js'
import type { ShardOutput } from './output.js'
import { TableOutput } from './table-output.js'

export interface OutputOptions {
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
  parquet: async (options) => {
    if (options.model !== undefined) return embeddings(options)
    const { parquetIds } = await import('./parquet/parquet-ids.js') // its library: other outputs do without
    return TableOutput.begin(options.out, parquetIds())
  },
  arrow: (options) =>
    options.model === undefined ? TableOutput.begin(options.out, arrowIds()) : embeddings(options),
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
