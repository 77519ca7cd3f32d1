// One of the threads that change the shared ledger without pause, all from the same moment on: posts the nanoseconds of a change.
import { parentPort, workerData } from 'node:worker_threads'
import { Ledger } from '../../../build/src/load/ledger.js'

const { memory, threads, rounds } = workerData
/** A word behind those of the ledger: how many threads are ready. */
const READY = 512
const words = new Int32Array(memory)
const ledger = new Ledger(memory, 2 ** 40)

function change(times) {
  for (let i = 0; i < times; i++) {
    ledger.take(1, 2 ** 30)
    ledger.give(1)
  }
}

change(100_000) // V8 has compiled it
Atomics.add(words, READY, 1)
while (Atomics.load(words, READY) < threads);
const started = process.hrtime.bigint()
change(rounds)
parentPort.postMessage(Number(process.hrtime.bigint() - started) / (4 * rounds))
