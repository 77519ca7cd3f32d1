import type { OpenModel } from '../open-model.js'
import type { Target } from '../recipe.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { BinOutput } from './bin-output.js'
import { DatasetOutput } from './dataset-output.js'
import { MegatronOutput } from './megatron-output.js'
import type { ShardOutput } from './output.js'

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
