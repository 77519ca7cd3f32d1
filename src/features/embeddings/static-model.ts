import { acceptsIds, type ModelCard } from '../../first-layer/cards/model-card.js'
import { checkHasTables } from '../../first-layer/embeddings/model.js'
import type { Pooling } from '../../first-layer/pooling/pooling.js'
import { InletError } from '../../service/answer/error-table.js'
import { IdLists } from '../../service/request/body/id-lists.js'
import type { Given } from '../../service/request/fields/given-field.js'

/**
 * How a model makes embeddings of texts.
 *
 * @throws InletError `tables_unavailable`, `unsupported_combination` for a model that is not static
 */
export function staticPooling(card: ModelCard): Pooling {
  const { id, modelType, pooling } = card
  checkHasTables(card)
  if (pooling !== undefined) return pooling
  const rule = 'must be a static model, of Model2Vec’s or sentence-transformers’ layout'
  const why = 'Of any other, the rows of its first layer are no embedding of a text: see /v1/input-embeddings'
  const message = `\`model\` ${rule}. ${why}. Given: ${id}, of type ${modelType}`
  throw new InletError('unsupported_combination', message, 'model')
}

/**
 * Refuses ids for a model that takes texts alone. OpenAI's clients send tiktoken's ids, LangChain's by default: in the
 * table of another tokenizer they are in range and mean other tokens.
 *
 * @throws InletError `unsupported_combination`
 */
export function checkAcceptsIds(card: ModelCard, given: Given, field: string): void {
  if (!(given instanceof IdLists) || acceptsIds(card)) return
  const rule = `must be text for ${card.id}, whose tokenizer is its own: tiktoken’s ids mean other tokens to it`
  const how = 'In LangChain’s OpenAIEmbeddings set check_embedding_ctx_length=False'
  const own = 'Ids of the model’s own tokenizer are taken where its inlet_static.json has "accept_ids": true'
  throw new InletError('unsupported_combination', `\`${field}\` ${rule}. ${how}. ${own}. Given: ids`, field)
}
