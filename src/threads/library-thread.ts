import { parentPort, workerData } from 'node:worker_threads'
import { serveLibrary } from '../first-layer/tokens/rust/serve-library.js'
import { TokenizerProcesses } from '../first-layer/tokens/rust/tokenizer-processes.js'
import { Ledger } from '../load/ledger.js'
import { LibraryRoom } from '../load/library-room.js'

// The thread that keeps the processes of the Rust library for the service, within its bounds.

/** The bounds that the service gives this thread. */
export interface LibraryThreadData {
  /** The ledger's memory, and the account of this thread in it. */
  readonly ledger: SharedArrayBuffer
  readonly account: number
  readonly maxBytes: number
  readonly queueTimeoutMs: number
}

if (parentPort === null) throw new Error('library-thread.js is started by the service, not by hand.')
const { ledger, account, maxBytes, queueTimeoutMs } = workerData as LibraryThreadData
const room = new LibraryRoom(new Ledger(ledger, account, maxBytes))
serveLibrary(new TokenizerProcesses({ room, waitMs: queueTimeoutMs }), parentPort)
