import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import util from 'node:util'
import { isMainThread } from 'node:worker_threads'

const PACKAGE = '@tensorflow/tfjs-node'

/** Why backend `tensorflow` cannot be had here: one line, without a full stop. */
export class TensorflowUnavailable extends Error {}

/**
 * Loads `@tensorflow/tfjs-node`, which registers backend `tensorflow` and makes it the one in use. TensorFlow's
 * own notes on the CPU are turned off (`TF_CPP_MIN_LOG_LEVEL`), unless the environment says otherwise.
 *
 * @param require resolves the package; another one than the default is for tests
 * @throws {TensorflowUnavailable} in a worker thread, on a Node or CPU that cannot run it, and where the package
 * is absent or broken
 */
export function loadTensorflow(require: NodeJS.Require = createRequire(import.meta.url)): void {
  const obstacle = machineObstacle()
  if (obstacle !== undefined) throw new TensorflowUnavailable(obstacle)
  if (!isInstalled(require)) throw new TensorflowUnavailable(`${PACKAGE} is not installed`)
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2'
  try {
    require(PACKAGE)
  } catch (error) {
    throw new TensorflowUnavailable(brokenPackage(error), { cause: error })
  }
}

/** Whether the package is there; says nothing about its addon. */
export function isInstalled(require: NodeJS.Require = createRequire(import.meta.url)): boolean {
  try {
    require.resolve(PACKAGE)
    return true
  } catch {
    return false
  }
}

function machineObstacle(): string | undefined {
  // Two threads that load the addon at the same time can crash the process.
  if (!isMainThread) return `${PACKAGE} runs in the main thread only`
  if (!('isNullOrUndefined' in util)) {
    return `${PACKAGE} 4.22 calls util.isNullOrUndefined, which Node ${process.version} no longer has (20 and 22 do)`
  }
  // TensorFlow's library does not return an error here: it aborts the process.
  if (process.platform === 'linux' && process.arch === 'x64' && !cpuHasAvx()) {
    return "TensorFlow's library needs a CPU with AVX, and /proc/cpuinfo names none"
  }
  return undefined
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
