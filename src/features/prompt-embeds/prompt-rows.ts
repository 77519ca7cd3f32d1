import { rowIds } from '../../first-layer/batch-tensors.js'
import { inputsEmbedsSteps, type LayerSteps } from '../../first-layer/embeddings/architecture-steps.js'
import { rootOfWidth, scaleRows } from '../../first-layer/embeddings/architectures/row-steps.js'
import { idTensor } from '../../first-layer/embeddings/computed-tensor.js'
import { lookupTensor } from '../../first-layer/embeddings/lookup-tensors.js'
import type { Model, ModelSpec } from '../../first-layer/embeddings/model.js'
import { rowTensor } from '../../first-layer/embeddings/row-tensor.js'
import type { Part } from '../../first-layer/formats/json.js'
import type { NgramBatch } from '../../first-layer/lookups/ngram-rows.js'
import type { FloatDtype, NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { RowBatch } from '../../first-layer/windows/batch.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { InletError } from '../../service/answer/error-table.js'
import type { PromptTarget } from './schemas.js'
import { tensorList } from './tensor-list.js'

/**
 * Checks that a target can run the model.
 *
 * @throws InletError `unsupported_combination` for a model without blocks to run, or an encoder where completions are
 * served
 */
export function checkPromptTarget(spec: ModelSpec, target: PromptTarget): void {
  const { id, architecture, isCheckpoint } = spec
  const refuse = (field: string, rule: string) => {
    const message = `\`${field}\` ${rule}. Given: ${field === 'model' ? id : target}`
    throw new InletError('unsupported_combination', message, field)
  }
  if (!isCheckpoint) refuse('model', 'must be a checkpoint’s: nobody has the blocks of tables from a seed')
  const { name, reader } = architecture
  if (STATIC.includes(name)) refuse('model', `must have blocks: ${name} has rows alone`)
  if (spec.lookups?.routesById)
    refuse('model', `must take rows: blocks of ${name} choose experts by the token’s id: send ids`)
  if (target === 'transformers') return
  if (looksUpById(spec))
    refuse('target', `must be transformers for ${id}: its blocks look rows up by id: send ids`)
  if (reader === 'encoder') refuse('target', `must be transformers for ${id}: ${name} is an encoder`)
  if (reader === 'encoder_decoder') {
    refuse('target', `must be transformers for ${id}: ${name} has an encoder before its decoder`)
  }
}

/** Checks that each document has rows: a tokenizer may make nothing of a text. @throws InletError `empty_input` */
export function checkPromptLengths(documents: Documents): void {
  for (let d = 0; d < documents.count; d++) {
    if (documents.length(d) > 0) continue
    const param = documents.count === 1 ? 'text' : `text.${d}`
    const message = `\`${param}\` must give at least one token. Given: a text of none`
    throw new InletError('empty_input', message, param)
  }
}

/** Whether blocks take more than a row that follows from the token's id. */
const looksUpById = ({ lookups }: ModelSpec) =>
  lookups?.perLayer !== undefined || lookups?.ngrams?.areAdded === false

/** What decides about a model's rows: who takes them, and their element type. */
interface Asked {
  readonly target: PromptTarget
  readonly dtype: FloatDtype
}

/** Each document as the target takes it: the rows [T, C] that its own lookup would give, and what its blocks look up beside. */
export function promptFields(
  model: Model,
  documents: Documents,
  asked: Asked,
): Readonly<Record<string, Part>> {
  const { embeddingDim, lookups } = model.spec
  const { dtype, target } = asked
  const as = target === 'sglang' ? 'numbers' : 'torch'
  const rows = (name: string, ...each: readonly number[]) =>
    tensorList(documents, as, { dtype, each }, (d) => documentTensor(model, documents, d, name, asked))
  const ids = (d: number) => {
    const fill = (out: Int32Array, first: number) => documents.copyTo(out, 0, d, first, out.length)
    return idTensor({ name: 'ple_input_ids', shape: [documents.length(d)], fill }, 'int32', model.workspace)
  }
  const { perLayer, ngrams } = lookups ?? {}
  return {
    [as === 'torch' ? 'prompt_embeds' : 'input_embeds']: rows('inputs_embeds', embeddingDim),
    ...(perLayer && { per_layer_inputs: rows('per_layer_inputs', perLayer.layers, perLayer.width) }),
    ...(ngrams?.areAdded === false && {
      ple_input_ids: tensorList(documents, 'numbers', { dtype: 'int32', each: [] }, ids),
    }),
  }
}

/** Document `d` as a tensor [T, …]: its rows, or what its model's lookups give under a name. */
function documentTensor(
  model: Model,
  documents: Documents,
  d: number,
  name: string,
  asked: Asked,
): NamedTensor {
  const { target, dtype } = asked
  const contextLength = documents.length(d)
  const fillInputIds = (out: Int32Array, first: number) => documents.copyTo(out, 0, d, first, out.length)
  const fillIds = rowIds(model, fillInputIds)
  const batch: NgramBatch = {
    ...{ count: 1, contextLength },
    fill: (name, out, first) => (name === 'input_ids' ? fillInputIds(out, first) : void out.fill(1)),
  }
  const made = lookupTensor(model, name, { batch, dtype, idsDtype: 'int32', fillIds })
  if (made !== undefined) return { ...made, shape: made.shape.slice(1) }
  const rows = { name: 'prompt_embeds', shape: [contextLength, model.spec.embeddingDim], dtype, fillIds }
  const steps = promptSteps(model, target, batch, dtype)
  return rowTensor({ ...rows, table: model.tokenTable, ...steps }, model.workspace)
}

function promptSteps(model: Model, target: PromptTarget, batch: RowBatch, dtype: FloatDtype): LayerSteps {
  const { architecture, embeddingDim } = model.spec
  if (PLAIN_ROWS[target].includes(architecture.name)) return {}
  if (!UNROUNDED[target].includes(architecture.name)) return inputsEmbedsSteps(model, batch, dtype)
  return { steps: [(rows) => scaleRows(rows, rootOfWidth(embeddingDim))] }
}

const STATIC = ['model2vec', 'static_embedding']

/** Families that these multiply themselves, so that they take plain rows. */
const PLAIN_ROWS: Readonly<Record<PromptTarget, readonly string[]>> = {
  vllm: ['falcon_h1'],
  transformers: [],
  sglang: ['falcon_h1', 'gemma', 'gemma2'],
}
/** Families whose factor √C is not rounded to the model's element type. */
const UNROUNDED: Readonly<Record<PromptTarget, readonly string[]>> = {
  vllm: [],
  transformers: [],
  sglang: ['gemma3', 'gemma3_text'],
}
