import process from 'node:process'
import {
  loadTensorflow,
  TensorflowUnavailable,
} from '../../../../src/first-layer/embeddings/backends/select.js'

/**
 * Whether tests of backend `tensorflow` run here. Without the package they are skipped and the reason is
 * printed; where TF_BACKEND=tensorflow asks for them they run, and fail.
 */
export function tensorflowHere(): boolean {
  try {
    loadTensorflow()
    return true
  } catch (error) {
    if (!(error instanceof TensorflowUnavailable)) throw error
    if (process.env.TF_BACKEND === 'tensorflow') return true
    console.warn(`skipped: ${error.message}`)
    return false
  }
}
