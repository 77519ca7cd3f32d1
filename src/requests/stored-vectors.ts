import { InletError, quoted, shown } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { Model } from '../first-layer/embeddings/model.js'
import { embeddingWidth, POOLING_RANGES } from '../first-layer/pooling/pooling.js'
import {
  needsRanges,
  quantizer,
  type Ranges,
  type VectorDtype,
  type VectorNumbers,
  wrongRange,
} from '../first-layer/pooling/quantized.js'
import { staticPooling } from './static-model.js'

/** The type in which a request wants embeddings, and their ranges if it brings any. */
export interface AskedVectors {
  readonly dtype: VectorDtype
  readonly dimensions: number
  readonly ranges?: readonly (readonly number[])[] | undefined
}

/** The request's fields, for messages. */
export interface VectorFields {
  readonly dtype: string
  /** Undefined: a request cannot bring any. */
  readonly ranges: string | undefined
}

/** How embeddings of one request are stored. */
export interface StoredVectors {
  /** The function that stores one, for the version of the model that answers. */
  of(model: Model): (row: Float32Array) => VectorNumbers
}

/**
 * Checks what a request says of the type of its embeddings, before its model is leased.
 *
 * @throws InletError `invalid_request` for ranges that do not fit, `unsupported_combination` where neither the request nor the model's folder has ranges
 */
export function storedVectors(card: ModelCard, asked: AskedVectors, fields: VectorFields): StoredVectors {
  const { dtype, dimensions } = asked
  const own = givenRanges(asked, fields.ranges ?? '')
  if (!needsRanges(dtype)) return { of: () => quantizer(dtype, dimensions) }
  if (own === undefined) checkFolderRanges(card, asked, fields)
  return { of: (model) => quantizer(dtype, dimensions, own ?? folderRanges(model, fields)) }
}

function givenRanges({ dimensions, ranges }: AskedVectors, field: string): Ranges | undefined {
  if (ranges === undefined) return undefined
  for (const [row, numbers] of ranges.entries()) {
    if (numbers.length === dimensions) continue
    const rule = `must have ${dimensions} numbers, one for each dimension`
    throw invalid(`${field}.${row}`, rule, numbers.length)
  }
  const [least, greatest] = ranges.map((numbers) => Float32Array.from(numbers)) as [
    Float32Array,
    Float32Array,
  ]
  const wrong = wrongRange({ least, greatest })
  if (wrong === undefined) return { least, greatest }
  const rule = `must be at least ${least[wrong]}, the least value of dimension ${wrong}, and within float32’s reach of it`
  throw invalid(`${field}.1.${wrong}`, rule, greatest[wrong]!)
}

function checkFolderRanges(card: ModelCard, asked: AskedVectors, fields: VectorFields): void {
  const { dtype, dimensions } = asked
  const hasRanges =
    card.source.type === 'folder' && card.source.tensors.some(({ table }) => table === POOLING_RANGES)
  const width = embeddingWidth(staticPooling(card), card.embeddingDim)
  if (hasRanges && dimensions === width) return
  const why = hasRanges
    ? `those of ${card.id} are of ${width} dimensions, not of ${dimensions}`
    : `${card.id} has no calibration.safetensors`
  const how = fields.ranges === undefined ? '' : `: send \`${fields.ranges}\``
  const message = `${quoted(fields.dtype)} ${shown(dtype)} needs ranges, and ${why}${how}`
  throw new InletError('unsupported_combination', `${message}. Given: none`, fields.dtype)
}

/** The ranges that lie with the model's tables. */
function folderRanges(model: Model, fields: VectorFields): Ranges {
  const { id } = model.spec
  const values = model.values(POOLING_RANGES)
  if (values === undefined) throw new Error(`${id} does not hold ${POOLING_RANGES}.`)
  const width = values.length / 2
  const ranges = { least: values.subarray(0, width), greatest: values.subarray(width) }
  const wrong = wrongRange(ranges)
  if (wrong === undefined) return ranges
  const rule = `needs ranges, and calibration.safetensors of ${id} has no least and greatest value for dimension ${wrong}`
  throw new InletError('unsupported_combination', `${quoted(fields.dtype)} ${rule}`, fields.dtype)
}

function invalid(param: string, rule: string, given: number): InletError {
  return new InletError('invalid_request', `${quoted(param)} ${rule}. Given: ${given}`, param)
}
