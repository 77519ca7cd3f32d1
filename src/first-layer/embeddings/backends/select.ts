import './cpu.js'
import { enableProdMode, setBackend, version_core } from '@tensorflow/tfjs-core'
import { loadTensorflow, TensorflowUnavailable, tensorflowObstacle } from './load-tensorflow.js'
import { registerTensorflowKernel, tensorflowVersion } from './tensorflow.js'

/** Values of `TF_BACKEND`. */
export const BACKEND_CHOICES = ['auto', 'cpu', 'tensorflow'] as const
export type BackendChoice = (typeof BACKEND_CHOICES)[number]

export interface SelectedBackend {
  readonly name: 'cpu' | 'tensorflow'
  /** TensorFlow.js's version for `cpu`, TensorFlow's own for `tensorflow`. */
  readonly version: string
  /** The reason for this choice: one line, without a full stop. */
  readonly reason: string
}

/**
 * Selects a TensorFlow.js backend, and registers the embedding op on it. Prints nothing.
 *
 *     await selectBackend('tensorflow') → { name: 'tensorflow', version: '2.15.1', reason: 'TF_BACKEND=tensorflow' }
 *
 * `auto` takes `cpu`, the faster one for these lookups (docs/tfjs-node.md), without loading TensorFlow.
 *
 * @param require resolves `@tensorflow/tfjs-node`; only tests replace the default
 * @throws {Error} if `tensorflow` is chosen and cannot run here, with the reason and the remedy
 */
export async function selectBackend(
  choice: BackendChoice,
  require?: NodeJS.Require,
): Promise<SelectedBackend> {
  enableProdMode() // otherwise TensorFlow.js prints advice on the console
  if (choice !== 'tensorflow') {
    await setBackend('cpu')
    const reason = choice === 'cpu' ? 'TF_BACKEND=cpu' : reasonForCpu(tensorflowObstacle(require))
    return { name: 'cpu', version: version_core, reason }
  }
  try {
    loadTensorflow(require)
  } catch (error) {
    if (!(error instanceof TensorflowUnavailable)) throw error
    const { message, remedy } = error
    const advice = `To have it, ${remedy}; or set TF_BACKEND=auto (docs/tfjs-node.md)`
    throw new Error(`TF_BACKEND=tensorflow: ${message}. ${advice}`, { cause: error })
  }
  registerTensorflowKernel()
  await setBackend('tensorflow')
  return { name: 'tensorflow', version: tensorflowVersion(), reason: 'TF_BACKEND=tensorflow' }
}

function reasonForCpu(obstacle: TensorflowUnavailable | undefined): string {
  const other =
    obstacle?.message ?? '@tensorflow/tfjs-node is installed, and TF_BACKEND=tensorflow asks for it'
  return `TF_BACKEND=auto takes cpu, the faster for these lookups; ${other}`
}
