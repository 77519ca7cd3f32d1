import type { PromptTarget } from '../wire/schemas/prompt-embeds.js'

/** Families that only encode: what serves completions cannot run them. */
export const ENCODERS = [
  ...['albert', 'bert', 'camembert', 'deberta', 'deberta-v2', 'distilbert', 'electra', 'modernbert'],
  ...['mpnet', 'roberta', 'xlm-roberta'],
]
/** Families whose prompt goes to an encoder. */
export const ENCODER_DECODERS = ['bart', 'mbart', 'mt5', 't5', 'umt5']
/** Families of rows alone. */
export const STATIC = ['model2vec', 'static_embedding']

/** Families that these multiply themselves, so that they take plain rows. */
export const PLAIN_ROWS: Readonly<Record<PromptTarget, readonly string[]>> = {
  vllm: ['falcon_h1'],
  transformers: [],
  sglang: ['falcon_h1', 'gemma', 'gemma2'],
}
/** Families whose factor √C is not rounded to the model's element type. */
export const UNROUNDED: Readonly<Record<PromptTarget, readonly string[]>> = {
  vllm: [],
  transformers: [],
  sglang: ['gemma3', 'gemma3_text'],
}
