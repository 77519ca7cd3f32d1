import type { ModelCard } from '../first-layer/cards/model-card.js'
import { documentsOf, textOptions } from '../first-layer/documents.js'
import { embed } from '../first-layer/embed.js'
import { planEmbedding } from '../first-layer/embedding-plan.js'
import type { Model } from '../first-layer/embeddings/model.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import { invalidField } from '../first-layer/errors.js'
import { anyInput, type Given } from '../first-layer/given.js'
import { epochEmbeddings, planEpoch } from '../first-layer/input-embedding.js'
import { checkUnicode } from '../first-layer/json.js'
import { embedOptions } from '../first-layer/options/embedding.js'
import { parse } from '../first-layer/options/parse.js'
import { tokenize } from '../first-layer/tokenize.js'
import { loaderOrder } from '../first-layer/windows/batch.js'
import { IdLists } from '../first-layer/windows/id-lists.js'
import type { FirstLayerModel, Input } from './api.js'
import { embeddingsOf } from './embeddings.js'
import { learn, resume } from './model-learner.js'
import { render } from './render.js'
import { takeTurn } from './turns.js'

/** A model whose tables are there, with its tokenizer. @param release frees the tokenizer's resources */
export function loadedModel(
  model: Model,
  card: ModelCard,
  tables: SharedTables,
  release: () => void,
): FirstLayerModel {
  return {
    vocabSize: card.vocabSize,
    embeddingDim: card.embeddingDim,
    tableBytes: model.tableBytes,
    async tokenize(text, options = {}) {
      checkUnicode({ text })
      const { ids } = await tokenize(model.spec.tokenizer, text, options)
      return ids.toInt32Array() // block by block: one id after the other would take four times as long
    },
    render: (messages, options = {}) => render(card, messages, options),
    async embed(input, options = {}) {
      const asked = parse(embedOptions, options)
      return embeddingsOf(await embed(model, givenOf(input), asked, { field: 'input' }))
    },
    async *batches(input, options) {
      const asked = parse(embedOptions, options)
      if (asked.batch_size === undefined) throw invalidField('batch_size', 'must be given', undefined)
      const given = givenOf(input)
      const how = textOptions(model, given, asked)
      const plan = planEmbedding(model, asked, { single: false })
      const documents = await documentsOf(model, given, how, undefined, 'input')
      const batchPlan = (batch_index: number) => ({ ...plan, options: { ...asked, batch_index } })
      const epoch = planEpoch(model, documents, batchPlan(0))
      const order = loaderOrder(epoch.windows.count, asked)
      for (let batch_index = 0, count = 1; batch_index < count; batch_index++) {
        await takeTurn()
        const batch = embeddingsOf(epochEmbeddings(model, epoch, order, batchPlan(batch_index)))
        count = batch.counts.numBatches ?? 0
        yield batch
      }
    },
    learn: (optimizer) => learn(model.spec, tables, optimizer),
    resume: (checkpoint) => resume(model.spec, tables, checkpoint),
    dispose() {
      model.dispose()
      release()
    },
  }
}

/** Input as requests bring it. Scripts without types may give anything. @throws InletError that names `input.1` */
function givenOf(input: Input): Given {
  const given = parse(anyInput, input, ['input'])
  if (!(given instanceof IdLists)) checkUnicode({ input: given })
  return given
}
