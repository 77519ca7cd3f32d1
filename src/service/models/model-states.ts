/** Whether a model's tables are there. */
export const MODEL_STATES = ['ready', 'loading', 'unloaded', 'failed'] as const
export type ModelState = (typeof MODEL_STATES)[number]

/** Kinds of tokenizers. */
export const TOKENIZER_TYPES = ['tiktoken', 'byte_pair', 'wordpiece', 'foreign', 'none'] as const
