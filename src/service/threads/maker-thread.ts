import type { Maker } from '../models/keeper/maker.js'
import { WorkThread } from '../process/work-thread.js'

/** Told how far the tables of a model are, 0 … 1. */
export interface Progress {
  made(id: string, share: number): void
}

/** Ends the process if the first thread has no turn for so many seconds. @param liveness its shared memory */
interface Watchdog {
  watch(liveness: SharedArrayBuffer, seconds: number): void
}

/** The thread that makes tables, one job after the other, and watches the first one (`make.ts`). */
export function makerThread(progress: Progress = { made() {} }): WorkThread<Maker & Watchdog> {
  return new WorkThread('make.js', { rooms: { progress } })
}
