import type { FastifyRequest } from 'fastify'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { loadEncoding } from '../../first-layer/tokens/encoding.js'
import { ENCODING_NAMES, type EncodingName } from '../../first-layer/tokens/encodings.js'
import type { Tokenizer } from '../../first-layer/tokens/tokenizer.js'
import { InletError, shown } from '../answer/error-table.js'
import type { Models } from '../models/library/models.js'
import { turn } from '../process/turn.js'
import { checkModel } from './checks/callers.js'

/** The card of a model of which the request uses the tokenizer. @param id absent: the default model */
export function askedCard(request: FastifyRequest, models: Models, id?: string | null): ModelCard {
  checkModel(request, models, id ?? models.defaultModel)
  const card = models.card(id ?? undefined)
  request.usedModel = card.id
  return card
}

/** The tokenizer of the encoding that the body names, else that of its model; the model's tables are not needed. */
export async function askedTokenizer(
  request: FastifyRequest,
  models: Models,
  body: { model?: string; encoding?: string },
): Promise<Tokenizer> {
  if (body.encoding === undefined) return models.tokenizerOf(askedCard(request, models, body.model))
  const name = body.encoding as EncodingName
  if (ENCODING_NAMES.includes(name)) return loadEncoding(name, turn)
  const message = `\`encoding\` must be one of ${ENCODING_NAMES.join(', ')}. Given: ${shown(name)}`
  throw new InletError('model_not_found', message, 'encoding')
}
