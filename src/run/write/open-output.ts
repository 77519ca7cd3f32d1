import type { Target } from '../recipe.js'
import type { OpenTokenizer } from '../tokenizer.js'
import { BinOutput } from './bin-output.js'
import { DatasetOutput } from './dataset-output.js'
import type { ShardOutput } from './output.js'

export interface OutputOptions {
  /** The run's folder. */
  readonly out: string
  readonly made: OpenTokenizer
}

type Begin = (options: OutputOptions) => Promise<ShardOutput>

const OUTPUTS: Readonly<Record<Target, Begin>> = {
  ids: async ({ out, made }) => new DatasetOutput(out, made),
  bin: ({ out, made }) => BinOutput.begin(out, made.dtype),
}

/** Begins a shard's output. */
export function openOutput(to: Target, options: OutputOptions): Promise<ShardOutput> {
  return OUTPUTS[to](options)
}
