import { STORAGE } from '../kernels/kernels.js'
import type { Model } from './model.js'
import type { Projection } from './row-tensor.js'

/**
 * The multiplication by `projection.weight` [hidden, C] (and addition of `projection.bias`), in float32, that OPT-350m,
 * ELECTRA and ALBERT have between rows and blocks.
 */
export function projectionOf(model: Model): Projection {
  const { workspace, spec } = model
  const weight = model.place('projection.weight')
  if (weight === undefined) throw new Error(`${spec.id} has no projection.weight`)
  const bias = model.place('projection.bias')
  const [hiddenSize, width] = weight.shape
  return {
    hiddenSize,
    project(out, rows) {
      const count = rows.length / width
      workspace.kernels.projectRows(
        out.byteOffset,
        rows.byteOffset,
        count,
        width,
        weight.pointer,
        STORAGE[weight.dtype],
        bias?.pointer ?? 0,
        STORAGE[bias?.dtype ?? 'float32'],
        hiddenSize,
        workspace.addends.byteOffset,
      )
    },
  }
}
