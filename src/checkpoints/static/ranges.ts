import type { FolderTensor } from '../../first-layer/cards/model-card.js'
import { POOLING_RANGES } from '../../first-layer/pooling/pooling.js'
import { type CheckpointTensor, headerOf } from '../checkpoint.js'
import { declared } from '../checkpoint-card.js'
import type { CheckpointFiles } from '../checkpoint-files.js'
import { folderError } from '../folder-error.js'
import { CALIBRATION_FILE } from '../model-files.js'

/** The tensor in calibration.safetensors: the least and the greatest value of each dimension of a sample's embeddings. */
const RANGES = 'ranges'

/**
 * Finds the ranges of a static model's embeddings, float32 [2, numbers of an embedding]; undefined if its folder has none.
 *
 * @throws InletError `model_failed` for a file without them, or of another shape or type
 */
export async function rangesOf(files: CheckpointFiles, width: number): Promise<CheckpointTensor | undefined> {
  if (!(await files.names()).includes(CALIBRATION_FILE)) return undefined
  const tensor = (await headerOf(files, CALIBRATION_FILE)).get(RANGES)
  const [rule, given] = [
    `must have "${RANGES}" of F32 [2, ${width}]`,
    tensor && `${tensor.dtype} [${tensor.shape.join(', ')}]`,
  ]
  if (given === `F32 [2, ${width}]`) return tensor
  throw folderError(CALIBRATION_FILE, `${rule}. Given: ${given ?? 'none'}`)
}

/** The ranges as a table. */
export function rangesTable(tensor: CheckpointTensor): FolderTensor {
  const { shape } = tensor
  return { ...declared(tensor), table: POOLING_RANGES, shape, stored: 'float32', dtype: 'float32' }
}
