import process from 'node:process'
import { isInstalled } from '../../../../src/first-layer/embeddings/backends/select.js'

/** Whether tests of backend `tensorflow` run here: with the package, or where TF_BACKEND=tensorflow asks for them, to fail. */
export function tensorflowHere(): boolean {
  if (isInstalled() || process.env.TF_BACKEND === 'tensorflow') return true
  console.warn('skipped: @tensorflow/tfjs-node is not installed')
  return false
}
