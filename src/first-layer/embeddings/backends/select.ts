import './cpu.js'
import { createRequire } from 'node:module'
import process from 'node:process'
import util from 'node:util'
import { enableProdMode, setBackend, version_core } from '@tensorflow/tfjs-core'
import { registerTensorflowKernel, tensorflowVersion } from './tensorflow.js'

/** Values of `TF_BACKEND`. */
const BACKEND_CHOICES = ['auto', 'cpu', 'tensorflow'] as const
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
  require = createRequire(import.meta.url),
): Promise<SelectedBackend> {
  enableProdMode() // otherwise TensorFlow.js prints advice on the console
  if (choice !== 'tensorflow') {
    await setBackend('cpu')
    const other = isInstalled(require)
      ? 'is installed, and TF_BACKEND=tensorflow asks for it'
      : 'is not installed'
    const auto = `TF_BACKEND=auto takes cpu, the faster for these lookups; ${PACKAGE} ${other}`
    return { name: 'cpu', version: version_core, reason: choice === 'cpu' ? 'TF_BACKEND=cpu' : auto }
  }
  loadTensorflow(require)
  registerTensorflowKernel()
  await setBackend('tensorflow')
  return { name: 'tensorflow', version: tensorflowVersion(), reason: 'TF_BACKEND=tensorflow' }
}

const PACKAGE = '@tensorflow/tfjs-node'
const REMEDY =
  'To have it, run `npm install @tensorflow/tfjs-node@4.22.0` where the download host of TensorFlow is reachable, or docker/build-tfjs-node.sh; or set TF_BACKEND=auto (docs/tfjs-node.md)'

/** A function of `node:util` that version 4.22 of the package calls; Node removed it in version 23. */
const isNullOrUndefined = (value: unknown) => value === null || value === undefined

/**
 * Loads `@tensorflow/tfjs-node`, which registers backend `tensorflow` and selects it. Turns TensorFlow's notes on the CPU
 * off (`TF_CPP_MIN_LOG_LEVEL`), unless the environment sets a level. Call it in the main thread only: two threads that load
 * the addon at the same time can crash the process.
 *
 * @throws {Error} if the package is absent or broken: one line, with the remedy
 */
export function loadTensorflow(require = createRequire(import.meta.url)): void {
  if (!isInstalled(require)) throw new Error(`TF_BACKEND=tensorflow: ${PACKAGE} is not installed. ${REMEDY}`)
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2'
  if (!('isNullOrUndefined' in util)) Object.assign(util, { isNullOrUndefined })
  try {
    require(PACKAGE)
  } catch (cause) {
    const [reason] = String(cause instanceof Error ? cause.message : cause).split('\n')
    const message = `${PACKAGE} is installed, but does not load: ${reason}`
    throw new Error(`TF_BACKEND=tensorflow: ${message}. ${REMEDY}`, { cause })
  }
}

/** Whether the package is there; it is not loaded. */
export function isInstalled({ resolve } = createRequire(import.meta.url)): boolean {
  try {
    resolve(PACKAGE)
    return true
  } catch {
    return false
  }
}
