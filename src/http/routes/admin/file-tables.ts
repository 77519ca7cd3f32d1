import type { TableShape } from '../../../embeddings/table-memory.js'
import { shapeMismatch } from '../../../models/model-errors.js'
import type { FloatDtype } from '../../../named-tensor.js'
import type { StoredTensor } from '../../../wire/safetensors/header.js'

const FLOATS: Readonly<Record<string, FloatDtype>> = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' }

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
    if (Object.hasOwn(FLOATS, dtype)) return { name, shape, dtype: FLOATS[dtype] }
    const table = expected.find((each) => each.name === name)
    throw shapeMismatch({ name, shape, dtype }, table ?? { name, shape, dtype: 'float32' }, expected)
  })
}
