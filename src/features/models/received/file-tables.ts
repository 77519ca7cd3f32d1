import type { TableShape } from '../../../first-layer/embeddings/table-memory.js'
import { FLOAT_DTYPES, type StoredTensor } from '../../../first-layer/tensors/safetensors/header.js'
import { shapeMismatch } from '../../../service/models/errors.js'

/**
 * The tensors of a file as tables.
 *
 * @param expected the model's tables, for the error's message; empty where they are not known
 * @throws InletError `shape_mismatch` for an element type that no table has
 */
export function fileTables(
  tensors: readonly StoredTensor[],
  expected: readonly TableShape[],
): readonly TableShape[] {
  return tensors.map(({ name, shape, dtype }) => {
    if (Object.hasOwn(FLOAT_DTYPES, dtype)) return { name, shape, dtype: FLOAT_DTYPES[dtype] }
    const table = expected.find((each) => each.name === name)
    throw shapeMismatch({ name, shape, dtype }, table ?? { name, shape, dtype: 'float32' }, expected)
  })
}
