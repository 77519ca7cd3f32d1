import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Ledger } from './ledger.js'

/** How often a thread checks whether it is at rest, in milliseconds. */
const LOOK_MS = 1000
/** A thread runs the collector after so many checks in a row have found it at rest. */
const LOOKS = 2
/** A thread is at rest while its requests hold at most so many bytes: small requests come and go all the time. */
const SMALL_BYTES = 1 << 20
/** The collector runs only if memory outside the heap has grown by so many bytes since its last run: 16 MiB. */
const WORTH_BYTES = 1 << 24

/** Bytes of tables that this thread has dropped since the collector ran last; `external` does not count them. */
let tableBytes = 0
/** Beyond so many bytes of dropped tables, the collector runs without waiting for rest: 256 MiB. */
const MOST_TABLE_BYTES = 1 << 28

/**
 * Notes that this thread has dropped tables of so many bytes. The system gets their memory back only after the
 * collector of every thread has run, and V8 runs none for it, since V8 does not count that memory.
 */
export function letTablesGo(bytes: number): void {
  tableBytes += bytes
  if (tableBytes > MOST_TABLE_BYTES) setImmediate(collectTables) // after the work that dropped them
}

function collectTables(): void {
  if (tableBytes > MOST_TABLE_BYTES) collect()
}

/** Runs the collector now where this thread has dropped tables; for a thread that has nothing else to do. */
export function tidyTables(): void {
  if (tableBytes > 0) collect()
}

/**
 * Gives the memory of large requests back to the system after they have ended. V8 runs its collector when code
 * allocates memory, and a thread at rest allocates none; so this function runs it. It runs twice after each time
 * of work, some ten milliseconds each: objects with finalizers that the first run finds are freed by the second.
 *
 * @param letGo drops the buffers that this thread keeps for later requests
 * @returns stops the checks
 */
export function tidyAtRest(ledger: Ledger, letGo: () => void): () => void {
  let looks = 0
  let isAgain = false
  let left = process.memoryUsage().external
  const look = setInterval(() => {
    looks = ledger.ownBytes > SMALL_BYTES ? 0 : looks + 1
    if (looks < LOOKS) return
    if (isAgain) {
      collect()
      left = process.memoryUsage().external
      isAgain = false
    } else if (tableBytes + process.memoryUsage().external - left >= WORTH_BYTES) {
      letGo()
      collect()
      isAgain = true
    }
  }, LOOK_MS)
  look.unref()
  return () => clearInterval(look)
}

let collector: (() => void) | undefined

function collect(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  tableBytes = 0
  collector()
}
