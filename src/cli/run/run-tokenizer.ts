import { encodingName } from '../../first-layer/cards/describe-card.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { ENCODING_NAMES, type EncodingName } from '../../first-layer/tokens/encodings.js'
import type { RunTokenizer } from '../../run/recipe.js'
import { UsageError } from '../exit.js'

/** The tokenizer that the flags name, as plain data, with what a dataset of it has as its encoding. */
export async function runTokenizer(asked: {
  readonly encoding: string | undefined
  readonly model: string | undefined
}): Promise<RunTokenizer> {
  const { encoding = 'gpt2', model } = asked
  if (model === undefined) {
    if (ENCODING_NAMES.includes(encoding as EncodingName)) {
      return { card: { type: 'tiktoken', encoding }, encoding }
    }
    throw new UsageError(`--encoding must be one of ${ENCODING_NAMES.join(', ')}. Given: ${encoding}`)
  }
  const { modelCard } = await import('../model-tokenizer.js') // readers of folders: an encoding does without
  return tokenizerOfCard(await modelCard(model))
}

/** A model's tokenizer. */
export function tokenizerOfCard(card: ModelCard): RunTokenizer {
  return {
    card: card.tokenizer,
    encoding: encodingName(card) ?? card.id,
    padTokenId: card.source.type === 'folder' ? (card.padTokenId ?? null) : undefined,
  }
}
