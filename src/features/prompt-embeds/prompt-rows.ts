import { inputsEmbedsSteps } from '../../first-layer/embeddings/architecture-steps.js'
import { rootOfWidth, scaleRows } from '../../first-layer/embeddings/architectures/row-steps.js'
import type { Model, ModelSpec } from '../../first-layer/embeddings/model.js'
import { type RowSource, rowTensor } from '../../first-layer/embeddings/row-tensor.js'
import type { FloatDtype, FloatTensor } from '../../first-layer/tensors/named-tensor.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { InletError } from '../../service/answer/error-table.js'
import type { PromptTarget } from './schemas.js'

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
  if (target === 'transformers') return
  if (reader === 'encoder') refuse('target', `must be transformers for ${id}: ${name} is an encoder`)
  if (reader === 'encoder_decoder') {
    refuse('target', `must be transformers for ${id}: ${name} has an encoder before its decoder`)
  }
}

/**
 * Checks that each document has rows: a tokenizer may make nothing of a text.
 *
 * @param field the request's field that has the texts
 * @throws InletError `empty_input`
 */
export function checkPromptLengths(documents: Documents, field: string): void {
  for (let d = 0; d < documents.count; d++) {
    if (documents.length(d) > 0) continue
    const param = documents.count === 1 ? field : `${field}.${d}`
    const message = `\`${param}\` must give at least one token. Given: a text of none`
    throw new InletError('empty_input', message, param)
  }
}

/** Document `d` as the rows [T, C] that the target's own lookup would give. */
export function promptRows(
  model: Model,
  documents: Documents,
  d: number,
  { target, dtype }: { readonly target: PromptTarget; readonly dtype: FloatDtype },
): FloatTensor {
  const length = documents.length(d)
  const fillIds: RowSource['fillIds'] = (ids, first) => documents.copyTo(ids, 0, d, first, ids.length)
  const source: RowSource = {
    ...{ name: 'prompt_embeds', shape: [length, model.spec.embeddingDim], dtype, table: model.tokenTable },
    ...{ contextLength: length, fillIds },
    ...promptSteps(model, target, fillIds, dtype),
  }
  return rowTensor(source, model.workspace)
}

function promptSteps(
  model: Model,
  target: PromptTarget,
  fillIds: RowSource['fillIds'],
  dtype: FloatDtype,
): Pick<RowSource, 'steps' | 'roundsSteps'> {
  const { architecture, embeddingDim } = model.spec
  if (PLAIN_ROWS[target].includes(architecture.name)) return {}
  if (!UNROUNDED[target].includes(architecture.name)) return inputsEmbedsSteps(model, fillIds, dtype)
  return { steps: [(rows) => scaleRows(rows, rootOfWidth(embeddingDim))] }
}

/** Families of rows alone. */
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
