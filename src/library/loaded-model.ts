import type { ModelCard } from '../first-layer/cards/model-card.js'
import { planEmbedding } from '../first-layer/embedding-plan.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { InletError, invalidField, quoted } from '../first-layer/errors.js'
import { epochEmbeddings, inputEmbeddings, planEpoch } from '../first-layer/input-embedding.js'
import { embedOptions } from '../first-layer/options/embedding.js'
import { parse } from '../first-layer/options/parse.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { streamOptions, tokenizeAsync } from '../first-layer/tokens/tokenize.js'
import { loaderOrder } from '../first-layer/windows/batch.js'
import { Documents } from '../first-layer/windows/documents.js'
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
    const ids = await this.#idsOf(text, options, 'text')
    return ids.toInt32Array() // block by block: one id after the other would take four times as long
  }

  render(messages: readonly Message[], options: RenderOptions = {}): string {
    return render(this.card, messages, options)
  }

  async embed(input: Input, options: EmbedOptions = {}): Promise<Embeddings> {
    const plan = this.#plan(options)
    const documents = await this.#documentsOf(input, options)
    return embeddingsOf(inputEmbeddings(this.model, documents, plan))
  }

  async *batches(
    input: Input,
    options: Omit<EmbedOptions, 'batch_index'>,
  ): AsyncGenerator<Embeddings, void, void> {
    const plan = this.#plan(options)
    if (plan.batch_size === undefined) throw invalidField('batch_size', 'must be given', undefined)
    const documents = await this.#documentsOf(input, options)
    const epoch = planEpoch(this.model, documents, { ...plan, batch_index: 0 })
    const order = loaderOrder(epoch.windows.count, plan)
    for (let batchIndex = 0, count = 1; batchIndex < count; batchIndex++) {
      await takeTurn()
      const batch = embeddingsOf(
        epochEmbeddings(this.model, epoch, order, { ...plan, batch_index: batchIndex }),
      )
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

  #plan(options: EmbedOptions) {
    return planEmbedding(this.model, parse(embedOptions, options), { single: false })
  }

  async #documentsOf(input: Input, options: TokenizeOptions): Promise<Documents> {
    const documents = new Documents()
    const list = isList(input)
    for (const [index, each] of (list ? input : [input]).entries()) {
      const path = list ? `input.${index}` : 'input'
      if (!isDocument(each)) throw invalidField(path, 'must be a text, or token ids in an array', each)
      if (each.length === 0) throw emptyInput(path)
      if (typeof each === 'string') {
        const ids = await this.#idsOf(each, options, path)
        const mayBeTooLarge = this.model.spec.tokenizer.vocabSize > this.vocabSize
        let place = 0
        for (const block of ids.blocks()) {
          if (mayBeTooLarge) this.#checkIds(block, path, place)
          documents.ids.append(block)
          place += block.length
        }
        documents.ids.characters += ids.characters
      } else {
        this.#checkIds(each, path)
        documents.ids.append(Int32Array.from(each))
      }
      documents.endDocument()
    }
    if (documents.count === 0) throw emptyInput('input')
    return documents
  }

  async #idsOf(text: string, options: TokenizeOptions, path: string): Promise<TokenBuffer> {
    if (!text.isWellFormed()) {
      const at = [...text].findIndex((character) => !character.isWellFormed())
      const message = `${quoted(path)} must be Unicode. Given: a lone surrogate, character ${at}`
      throw new InletError('invalid_unicode', message, path)
    }
    const { tokenizer } = this.model.spec
    return tokenizeAsync(tokenizer, text, streamOptions(tokenizer, options))
  }

  /** @param place of the first id in the document */
  #checkIds(ids: ArrayLike<number>, path: string, place = 0): void {
    const { vocabSize } = this
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]
      if (!(Number.isInteger(id) && id >= 0 && id < vocabSize))
        throw wrongId(id, `${path}.${place + i}`, vocabSize)
    }
  }
}

function wrongId(id: unknown, path: string, vocabSize: number): InletError {
  if (!Number.isInteger(id) || (id as number) < 0) return invalidField(path, 'must be an integer from 0', id)
  const message = `${quoted(path)} must be below \`vocab_size\` ${vocabSize}. Given: ${id}`
  return new InletError('token_out_of_range', message, path)
}

function emptyInput(path: string): InletError {
  return new InletError('empty_input', `${quoted(path)} must not be empty`, path)
}

/** Scripts without types may give anything. */
function isDocument(given: unknown): given is string | ArrayLike<number> {
  return typeof given === 'string' || Array.isArray(given) || (ArrayBuffer.isView(given) && 'length' in given)
}

function isList(input: Input): input is readonly string[] | readonly (Int32Array | readonly number[])[] {
  return Array.isArray(input) && typeof input[0] !== 'number'
}
