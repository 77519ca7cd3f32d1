import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { checkHasTables, type Model } from '../../first-layer/embeddings/model.js'
import { InletError, invalidField, shown } from '../../first-layer/errors.js'
import { POOLING_RANGES, type Pooling } from '../../first-layer/pooling/pooling.js'
import {
  needsRanges,
  quantizer,
  type Ranges,
  type VectorDtype,
  type VectorNumbers,
  wrongRange,
} from '../../first-layer/pooling/quantized.js'

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
 * What stores an embedding in the type that a request asks for, with the request's ranges or the folder's.
 *
 * @throws InletError `invalid_request` for ranges that do not fit, `unsupported_combination` where neither the request nor the model's folder has ranges
 */
export function storedVectors(
  model: Model,
  dtype: VectorDtype,
  dimensions: number,
  given: readonly (readonly number[])[] | undefined,
): (row: Float32Array) => VectorNumbers {
  const own = given && givenRanges(given, dimensions)
  if (!needsRanges(dtype)) return quantizer(dtype, dimensions)
  return quantizer(dtype, dimensions, own ?? folderRanges(model, dtype, dimensions))
}

function givenRanges(ranges: readonly (readonly number[])[], dimensions: number): Ranges {
  const short = ranges.findIndex((numbers) => numbers.length !== dimensions)
  if (short >= 0) {
    const rule = `must have ${dimensions} numbers, one for each dimension`
    throw invalidField(`ranges.${short}`, rule, ranges[short].length)
  }
  const [least, greatest] = ranges.map((numbers) => Float32Array.from(numbers))
  const wrong = wrongRange({ least, greatest })
  if (wrong === undefined) return { least, greatest }
  const rule = `must be at least ${least[wrong]}, the least value of dimension ${wrong}, and within float32’s reach of it`
  throw invalidField(`ranges.1.${wrong}`, rule, greatest[wrong])
}

/** The ranges that lie with the model's tables. */
function folderRanges(model: Model, dtype: VectorDtype, dimensions: number): Ranges {
  const { id } = model.spec
  const refuse = (why: string) => {
    const message = `\`output_dtype\` ${shown(dtype)} needs ranges, and ${why}: send \`ranges\`. Given: none`
    return new InletError('unsupported_combination', message, 'output_dtype')
  }
  const values = model.values(POOLING_RANGES)
  if (values === undefined) throw refuse(`${id} has no calibration.safetensors`)
  const width = values.length / 2
  if (width !== dimensions) throw refuse(`those of ${id} are of ${width} dimensions, not of ${dimensions}`)
  const ranges = { least: values.subarray(0, width), greatest: values.subarray(width) }
  const wrong = wrongRange(ranges)
  if (wrong === undefined) return ranges
  throw refuse(`calibration.safetensors of ${id} has no least and greatest value for dimension ${wrong}`)
}
