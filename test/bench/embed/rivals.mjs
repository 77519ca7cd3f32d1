import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { installRivals, rivalPath, rivalVersion } from '../harness/npm-rivals.mjs'
import { findPython, peer, startPython } from '../harness/python.mjs'

const run = promisify(execFile)

/** The C program, compiled. @returns { rows(size) → function → GB/s, dispose } or { absent } */
export function cRows() {
  const folder = mkdtempSync(join(tmpdir(), 'embed-rows-'))
  const program = join(folder, 'embed_rows')
  try {
    execFileSync('gcc', ['-O3', '-march=native', peer('embed_rows.c'), '-o', program], { stdio: 'pipe' })
  } catch (error) {
    return { absent: `gcc: ${error.message.split('\n')[0]}`, dispose() {} }
  }
  return {
    rows:
      ({ dim, contextLength, blocks, dtype }) =>
      async () =>
        Number((await run(program, [dim, contextLength, blocks, dtype].map(String))).stdout),
    dispose: () => rmSync(folder, { recursive: true }),
  }
}

/** PyTorch on one thread: rows of the ids plus rows of the positions, widened where they are stored in 16 bits. */
export async function torchRows() {
  const python = findPython('torch')
  if (python.absent) return { ...python, stop() {} }
  const process = await startPython(python.path, 'torch_rows.py')
  return {
    version: python.versions.torch,
    rows: (size) => async () => (await process.ask(size)).gigabytesPerSecond,
    stop: process.stop,
  }
}

/** TensorFlow.js' own gather and add, on its wasm backend, in a separate process; it has no 16 bits. */
export function tfjsRows() {
  const refusal = installRivals('@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-wasm')
  if (refusal) return { absent: refusal }
  return {
    isFloat32Only: true,
    version: rivalVersion('@tensorflow/tfjs-core'),
    rows:
      ({ dim, contextLength, blocks }) =>
      async () => {
        const wasmFolder = rivalPath('@tensorflow/tfjs-backend-wasm', 'dist/')
        const args = [peer('tfjs-rows.mjs'), dim, contextLength, blocks, wasmFolder]
        return Number((await run(process.execPath, args.map(String))).stdout)
      },
  }
}
