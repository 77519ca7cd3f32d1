import { existsSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { isMainThread, workerData } from 'node:worker_threads'

// Imported by the service before its own modules, in each thread: does to one what a file asks for. A defect of the
// service could do the same; none is known.

const path = process.env.POISON
/** Another thread that serves, and not the one that makes tables. */
const isServing = !isMainThread && workerData?.thread > 0
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

const POISONS = {
  'the first thread hangs': () => isMainThread && hang(),
  'another thread hangs': () => isServing && hang(),
  'another thread throws': () => {
    if (!isServing) return
    rmSync(path)
    throw new Error('a poisoned thread')
  },
  'another thread fills its heap': () => {
    if (!isServing) return
    rmSync(path)
    for (const full = []; ; ) full.push(new Array(10_000).fill({}))
  },
}

/** Until the file is deleted. */
function hang() {
  writeSync(2, 'hangs\n')
  while (existsSync(path)) Atomics.wait(SLEEP, 0, 0, 20)
}

setInterval(() => POISONS[asked()]?.(), 20).unref()

/** Another thread may delete the file at any moment. */
function asked() {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
