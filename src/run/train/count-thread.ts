import { parentPort, workerData } from 'node:worker_threads'
import type { Cutting } from '../../first-layer/tokens/training/cutting.js'
import { PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import { addSlice } from './count-documents.js'
import type { Slice } from './slices.js'

/** Distinct pieces that a thread holds: then it passes them on, so that memory does not grow with the number of threads. */
const HELD = 1 << 20

const counter = new PieceCounter(workerData as Cutting)
const port = parentPort!

port.on('message', (slice: Slice | null) => {
  if (slice !== null) addSlice(counter, slice)
  if (slice !== null && counter.size < HELD) return port.postMessage(null)
  const pieces = counter.take()
  port.postMessage(pieces, [pieces.bytes.buffer, pieces.ends.buffer, pieces.counts.buffer])
})
