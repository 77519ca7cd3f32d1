import type { ModelCard } from '../../first-layer/cards/model-card.js'
import {
  type Architecture,
  namedArchitecture,
  takesTokenTypes,
} from '../../first-layer/embeddings/architectures/registry.js'
import { bindPositionEmbedding } from '../../first-layer/embeddings/positions/position-embedding.js'
import type { PositionTensor } from '../../first-layer/embeddings/positions/scheme.js'
import { embeddingWidth } from '../../first-layer/pooling/pooling.js'
import { DATATYPES } from './wire/datatypes.js'

/** A tensor in a model's metadata; −1 is an axis of any size. */
export interface TensorMetadata {
  readonly name: string
  readonly datatype: string
  readonly shape: readonly number[]
}

const ANY = -1

/** The inputs that a model takes: `text`, or `input_ids` and what stands beside them. */
export function inputMetadata(card: ModelCard): readonly TensorMetadata[] {
  const ids = (name: string) => ({ name, datatype: 'INT64', shape: [ANY, ANY] })
  const text = card.tokenizer.type === 'none' ? [] : [{ name: 'text', datatype: 'BYTES', shape: [ANY] }]
  const hasTypes = card.pooling === undefined && takesTokenTypes(architectureOf(card))
  return [...text, ids('input_ids'), ids('attention_mask'), ...(hasTypes ? [ids('token_type_ids')] : [])]
}

/** The outputs that a model gives under its own position scheme, with float32 as `dtype`. */
export function outputMetadata(card: ModelCard): readonly TensorMetadata[] {
  const { embeddingDim, hiddenSize, pooling } = card
  const floats = (name: string, shape: readonly number[]) => ({ name, datatype: DATATYPES.float32, shape })
  if (pooling !== undefined) return [floats('embeddings', [ANY, embeddingWidth(pooling, embeddingDim)])]
  const integers = (name: string, shape: readonly number[]) => ({ name, datatype: DATATYPES.int32, shape })
  const rows = ['input_ids', 'target_ids', 'attention_mask', 'position_ids']
  const embeddings = [
    floats('input_embeddings', [ANY, ANY, hiddenSize]),
    floats('token_embeddings', [ANY, ANY, embeddingDim]),
    floats('inputs_embeds', [ANY, ANY, embeddingDim]),
  ]
  return [
    ...(card.tablesUnavailable === undefined ? embeddings : []),
    ...rows.map((name) => integers(name, [ANY, ANY])),
    ...['document_ids', 'window_starts'].map((name) => integers(name, [ANY])),
    ...positionMetadata(card),
  ]
}

/** The position scheme's tensors: the axes that grow with the window are those that differ between two lengths. */
function positionMetadata(card: ModelCard): readonly TensorMetadata[] {
  const position = bindPositionEmbedding(card.positionEmbedding)
  const { steps } = architectureOf(card)
  const { embeddingDim, hiddenSize, maxPositionEmbeddings } = card
  const isNarrow = position.added !== undefined && steps.indexOf('positions') < steps.indexOf('project')
  const tensors = (length: number): readonly PositionTensor[] =>
    position.tensors({
      ...{ length, offset: 0, maxPositionEmbeddings },
      embeddingDim: isNarrow ? embeddingDim : hiddenSize,
    })
  const [short, long] = [tensors(1), tensors(2)]
  return short.map(({ name, dtype, shape }, t) => ({
    name,
    datatype: DATATYPES[dtype],
    shape: shape.map((axis, i) => (axis === long[t]!.shape[i] ? axis : ANY)),
  }))
}

function architectureOf(card: ModelCard): Architecture {
  return card.layer ?? namedArchitecture(card.architecture)
}
