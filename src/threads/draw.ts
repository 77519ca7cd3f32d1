import { parentPort, workerData } from 'node:worker_threads'
import { drawTables, tablesIn } from '../embeddings/tables.js'
import type { Drawing } from './drawing.js'

// Draws tables into the memory that the first thread has allocated, tells it the share that is done, and ends.

const { spec, tables } = workerData as Drawing
for await (const share of drawTables(tablesIn(tables, spec), spec)) parentPort?.postMessage(share)
