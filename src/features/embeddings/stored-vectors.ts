import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { checkHasTables, type Model } from '../../first-layer/embeddings/model.js'
import { InletError, invalidField, shown } from '../../first-layer/errors.js'
import { embeddingWidth, POOLING_RANGES, type Pooling } from '../../first-layer/pooling/pooling.js'
import {
  needsRanges,
  quantizer,
  type Ranges,
  type VectorDtype,
  type VectorNumbers,
  wrongRange,
} from '../../first-layer/pooling/quantized.js'

/** The type in which a request wants embeddings, and their ranges if it brings any. */
interface AskedVectors {
  readonly dtype: VectorDtype
  readonly dimensions: number
  readonly ranges?: readonly (readonly number[])[] | undefined
}

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
 * Checks what a request says of the type of its embeddings, before its model is leased.
 *
 * @returns what makes the function that stores one, of the version of the model that answers
 * @throws InletError `invalid_request` for ranges that do not fit, `unsupported_combination` where neither the request nor the model's folder has ranges
 */
export function storedVectors(
  card: ModelCard,
  asked: AskedVectors,
): (model: Model) => (row: Float32Array) => VectorNumbers {
  const { dtype, dimensions } = asked
  const own = givenRanges(asked)
  if (!needsRanges(dtype)) return () => quantizer(dtype, dimensions)
  if (own === undefined) checkFolderRanges(card, asked)
  return (model) => quantizer(dtype, dimensions, own ?? folderRanges(model))
}

function givenRanges({ dimensions, ranges }: AskedVectors): Ranges | undefined {
  if (ranges === undefined) return undefined
  for (const [row, numbers] of ranges.entries()) {
    if (numbers.length === dimensions) continue
    const rule = `must have ${dimensions} numbers, one for each dimension`
    throw invalidField(`ranges.${row}`, rule, numbers.length)
  }
  const [least, greatest] = ranges.map((numbers) => Float32Array.from(numbers)) as [
    Float32Array,
    Float32Array,
  ]
  const wrong = wrongRange({ least, greatest })
  if (wrong === undefined) return { least, greatest }
  const rule = `must be at least ${least[wrong]}, the least value of dimension ${wrong}, and within float32’s reach of it`
  throw invalidField(`ranges.1.${wrong}`, rule, greatest[wrong])
}

function checkFolderRanges(card: ModelCard, asked: AskedVectors): void {
  const { dtype, dimensions } = asked
  const hasRanges =
    card.source.type === 'folder' && card.source.tensors.some(({ table }) => table === POOLING_RANGES)
  const width = embeddingWidth(staticPooling(card), card.embeddingDim)
  if (hasRanges && dimensions === width) return
  const why = hasRanges
    ? `those of ${card.id} are of ${width} dimensions, not of ${dimensions}`
    : `${card.id} has no calibration.safetensors`
  const message = `\`output_dtype\` ${shown(dtype)} needs ranges, and ${why}: send \`ranges\``
  throw new InletError('unsupported_combination', `${message}. Given: none`, 'output_dtype')
}

/** The ranges that lie with the model's tables. */
function folderRanges(model: Model): Ranges {
  const { id } = model.spec
  const values = model.values(POOLING_RANGES)!
  const width = values.length / 2
  const ranges = { least: values.subarray(0, width), greatest: values.subarray(width) }
  const wrong = wrongRange(ranges)
  if (wrong === undefined) return ranges
  const rule = `needs ranges, and calibration.safetensors of ${id} has no least and greatest value for dimension ${wrong}`
  throw new InletError('unsupported_combination', `\`output_dtype\` ${rule}`, 'output_dtype')
}
