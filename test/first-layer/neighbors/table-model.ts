import { namedArchitecture } from '../../../src/first-layer/embeddings/architectures/registry.js'
import { Model, type ModelParts } from '../../../src/first-layer/embeddings/model.js'
import { bindPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-embedding.js'
import { allocateTables } from '../../../src/first-layer/embeddings/table-memory.js'
import type { FloatDtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { absentTokenizer } from '../../../src/first-layer/tokens/tokenizer.js'
import { stored, valuesOf } from '../../twins/stored-numbers.js'

/** A model whose token table has these numbers, rounded to `dtype`, and the numbers as they are then. */
export function modelOf(numbers: readonly number[], width: number, dtype: FloatDtype = 'float32') {
  const rows = numbers.length / width
  const tables = allocateTables([{ name: 'wte.weight', shape: [rows, width], dtype }], width, 1)
  const parts: ModelParts = {
    spec: {
      ...{
        id: 'm',
        vocabSize: rows,
        embeddingDim: width,
        hiddenSize: width,
        maxPositionEmbeddings: 0,
        longestContext: 0,
      },
      ...{ typeVocabSize: 0, dtype, padTokenId: undefined, isCheckpoint: true },
      architecture: namedArchitecture('llama'),
      position: bindPositionEmbedding({ type: 'none' }),
      tokenizer: absentTokenizer('test'),
    },
    ...{ version: '1', tables, thread: 0 },
    drawn: () => {
      throw new Error('nothing is drawn')
    },
  }
  const model = new Model(parts)
  const held = stored(Float32Array.from(numbers), dtype)
  model.numbers(tables.places[0]).set(held)
  return { model, parts, values: valuesOf(held, dtype) }
}
