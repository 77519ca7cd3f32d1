import type { ModelCard } from '../first-layer/cards/model-card.js'
import { documentsOf, textOptions } from '../first-layer/documents.js'
import { embed } from '../first-layer/embed.js'
import { planEmbedding } from '../first-layer/embedding-plan.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { InletError, invalidField, quoted } from '../first-layer/errors.js'
import type { Given } from '../first-layer/given.js'
import { epochEmbeddings, planEpoch } from '../first-layer/input-embedding.js'
import { embedOptions } from '../first-layer/options/embedding.js'
import { parse } from '../first-layer/options/parse.js'
import { tokenize } from '../first-layer/tokenize.js'
import { loaderOrder } from '../first-layer/windows/batch.js'
import { IdLists } from '../first-layer/windows/id-lists.js'
import type { Embeddings, FirstLayerModel, Input, Message, RenderOptions } from './api.js'
import { embeddingsOf } from './embeddings.js'
import type { ModelLearner, OptimizerOptions } from './learning-api.js'
import { learn, resume } from './model-learner.js'
import type { EmbedOptions, TokenizeOptions } from './options.js'
import { render } from './render.js'
import { takeTurn } from './turns.js'

/** A model whose tables are there, with its tokenizer. */
export class LoadedModel implements FirstLayerModel {
  /** @param release frees the tokenizer's resources */
  constructor(
    private readonly model: Model,
    private readonly card: ModelCard,
    private readonly release: () => void,
  ) {}

  get vocabSize(): number {
    return this.card.vocabSize
  }

  get embeddingDim(): number {
    return this.card.embeddingDim
  }

  get tableBytes(): number {
    return this.model.tableBytes
  }

  async tokenize(text: string, options: TokenizeOptions = {}): Promise<Int32Array> {
    checkUnicode(text, 'text')
    const { ids } = await tokenize(this.model.spec.tokenizer, text, options)
    return ids.toInt32Array() // block by block: one id after the other would take four times as long
  }

  render(messages: readonly Message[], options: RenderOptions = {}): string {
    return render(this.card, messages, options)
  }

  async embed(input: Input, options: EmbedOptions = {}): Promise<Embeddings> {
    const asked = parse(embedOptions, options)
    return embeddingsOf(await embed(this.model, givenOf(input), asked, { field: 'input' }))
  }

  async *batches(
    input: Input,
    options: Omit<EmbedOptions, 'batch_index'>,
  ): AsyncGenerator<Embeddings, void, void> {
    const { model } = this
    const asked = parse(embedOptions, options)
    if (asked.batch_size === undefined) throw invalidField('batch_size', 'must be given', undefined)
    const given = givenOf(input)
    const how = textOptions(model, given, asked)
    const plan = planEmbedding(model, asked, { single: false })
    const documents = await documentsOf(model, given, how, undefined, 'input')
    const epoch = planEpoch(model, documents, { ...plan, batch_index: 0 })
    const order = loaderOrder(epoch.windows.count, plan)
    for (let batch_index = 0, count = 1; batch_index < count; batch_index++) {
      await takeTurn()
      const batch = embeddingsOf(epochEmbeddings(model, epoch, order, { ...plan, batch_index }))
      count = batch.counts.numBatches ?? 0
      yield batch
    }
  }

  learn(optimizer: OptimizerOptions): ModelLearner {
    return learn(this.model, optimizer)
  }

  resume(checkpoint: Uint8Array): ModelLearner {
    return resume(this.model, checkpoint)
  }

  dispose(): void {
    this.model.dispose()
    this.release()
  }
}

/** Input as requests bring it. Scripts without types may give anything. @throws InletError that names `input.1` */
function givenOf(input: Input): Given {
  const isOne = !Array.isArray(input) || typeof input[0] === 'number'
  const ids = new IdLists(!isOne)
  const texts: string[] = []
  for (const [index, each] of (isOne ? [input] : input).entries()) {
    const path = isOne ? 'input' : `input.${index}`
    if (!isDocument(each) || (index > 0 && (typeof each === 'string') !== texts.length > 0))
      throw invalidField(path, 'must be a text, or token ids in an array', each)
    if (each.length === 0) throw emptyInput(path)
    if (typeof each === 'string') {
      checkUnicode(each, path)
      texts.push(each)
      continue
    }
    const wrong = ids.add(each)
    if (wrong >= 0) throw invalidField(`${path}.${wrong}`, 'must be an integer from 0', each[wrong])
  }
  if (texts.length + ids.count === 0) throw emptyInput('input')
  return texts.length === 0 ? ids : isOne ? texts[0] : texts
}

function checkUnicode(text: string, path: string): void {
  if (text.isWellFormed()) return
  const at = [...text].findIndex((character) => !character.isWellFormed())
  const message = `${quoted(path)} must be Unicode. Given: a lone surrogate, character ${at}`
  throw new InletError('invalid_unicode', message, path)
}

function emptyInput(path: string): InletError {
  return new InletError('empty_input', `${quoted(path)} must not be empty`, path)
}

/** Scripts without types may give anything. */
function isDocument(given: unknown): given is string | ArrayLike<number> {
  return typeof given === 'string' || Array.isArray(given) || (ArrayBuffer.isView(given) && 'length' in given)
}
