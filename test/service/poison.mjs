import { existsSync, readFileSync, rmSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

// Imported by the service before its own modules, in each thread: does to one what a file asks for. A defect of the
// service could do the same; none is known.

const path = process.env.POISON
const SLEEP = new Int32Array(new SharedArrayBuffer(4))

const POISONS = {
  'the first thread hangs': () => isMainThread && hang(),
  'another thread hangs': () => !isMainThread && hang(),
  'another thread throws': () => {
    if (isMainThread) return
    rmSync(path)
    throw new Error('a poisoned thread')
  },
  'another thread fills its heap': () => {
    if (isMainThread) return
    rmSync(path)
    for (const full = []; ; ) full.push(new Array(10_000).fill({}))
  },
}

/** Until the file is gone. */
function hang() {
  while (existsSync(path)) Atomics.wait(SLEEP, 0, 0, 20)
}

setInterval(() => {
  if (existsSync(path)) POISONS[readFileSync(path, 'utf8')]?.()
}, 20).unref()
