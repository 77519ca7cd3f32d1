import './cpu.js'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import util from 'node:util'
import { isMainThread } from 'node:worker_threads'
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

const PACKAGE = '@tensorflow/tfjs-node'

const INSTALL =
  'run `npm install @tensorflow/tfjs-node@4.22.0` where the download host of TensorFlow is reachable, or docker/build-tfjs-node.sh'

/** A function of `node:util` that version 4.22 of the package calls; Node removed it in version 23. */
const isNullOrUndefined = (value: unknown) => value === null || value === undefined

/** Backend `tensorflow` cannot run here; the message is the reason, one line without a full stop. */
export class TensorflowUnavailable extends Error {
  constructor(
    message: string,
    /** The operator's remedy. */
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Loads `@tensorflow/tfjs-node`, which registers backend `tensorflow` and selects it. Turns TensorFlow's notes on the CPU
 * off (`TF_CPP_MIN_LOG_LEVEL`), unless the environment sets a level.
 *
 * @param require resolves the package; only tests replace the default
 * @throws {TensorflowUnavailable} in a worker thread, on a CPU that cannot run it, and if the package is absent
 * or broken
 */
export function loadTensorflow(require?: NodeJS.Require): void {
  const load = require ?? createRequire(import.meta.url)
  const obstacle = tensorflowObstacle(load)
  if (obstacle !== undefined) throw obstacle
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2'
  if (!('isNullOrUndefined' in util)) Object.assign(util, { isNullOrUndefined })
  try {
    load(PACKAGE)
  } catch (error) {
    throw new TensorflowUnavailable(brokenPackage(error), INSTALL, { cause: error })
  }
}

/** The reason why the package cannot be loaded, found without loading it: a broken addon goes unnoticed. */
function tensorflowObstacle(require?: NodeJS.Require): TensorflowUnavailable | undefined {
  // Two threads that load the addon at the same time can crash the process.
  if (!isMainThread)
    return new TensorflowUnavailable(`${PACKAGE} runs in the main thread only`, 'load it there')
  // Without AVX, TensorFlow's library returns no error: it aborts the process.
  if (process.platform === 'linux' && process.arch === 'x64' && !cpuHasAvx()) {
    const needs = "TensorFlow's library needs a CPU with AVX, and /proc/cpuinfo names none"
    return new TensorflowUnavailable(needs, 'run the service on another machine')
  }
  try {
    const { resolve } = require ?? createRequire(import.meta.url)
    resolve(PACKAGE)
    return undefined
  } catch {
    return new TensorflowUnavailable(`${PACKAGE} is not installed`, INSTALL)
  }
}

function cpuHasAvx(): boolean {
  try {
    return /\bavx\b/.test(readFileSync('/proc/cpuinfo', 'utf8'))
  } catch {
    return true
  }
}

function brokenPackage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  if (message.includes('native addon module')) return `${PACKAGE} is installed, but its addon is not built`
  return `${PACKAGE} is installed, but does not load: ${message.split('\n')[0]}`
}
