import type { FastifyRequest } from 'fastify'
import { encodingName } from '../../../first-layer/cards/describe-card.js'
import type { Tokenizer } from '../../../first-layer/tokens/tokenizer.js'
import type { Models } from '../../../models/library/models.js'
import { askedTokenizer } from '../asked-tokenizer.js'

/** The tokenizer that an upload names. */
export interface DatasetTokenizer {
  readonly tokenizer: Tokenizer
  /** The encoding's name; of a folder's tokenizer its model's id. */
  readonly encoding: string
  readonly padTokenId: number | undefined
}

/**
 * The tokenizer of an upload; undefined where it names none: its ids are then those of no encoding.
 *
 * @throws InletError `model_not_found`, `forbidden`
 */
export async function datasetTokenizer(
  request: FastifyRequest,
  models: Models,
  asked: { model?: string | undefined; encoding?: string | undefined },
): Promise<DatasetTokenizer | undefined> {
  const { model, encoding } = asked
  if (encoding !== undefined) {
    const tokenizer = await askedTokenizer(request, models, { encoding })
    return { tokenizer, encoding, padTokenId: tokenizer.endOfText }
  }
  if (model === undefined) return undefined
  const tokenizer = await askedTokenizer(request, models, { model })
  const card = models.card(model)
  const padTokenId = card.source.type === 'folder' ? card.padTokenId : tokenizer.endOfText
  return { tokenizer, encoding: encodingName(card) ?? card.id, padTokenId }
}
