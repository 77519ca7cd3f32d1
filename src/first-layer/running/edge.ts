import type { Stop } from './wait.js'

/** How other work goes on beside this one, and memory is counted, where a service does it. */
export interface Edge {
  /** Called between two slices of work, a millisecond or less. @param bytes that ids and text take after the next one, at most */
  between(bytes?: number): Promise<void> | undefined
  /** Called when they take no more. */
  settle?(bytes: number): void
  readonly stop?: Stop
}

/** For scripts: nothing else goes on. */
export const ALONE: Edge = { between: () => undefined }
