/** Milliseconds of work that shows how much of a processor there is. */
const WORK_MS = 60

/** Clocks are held to their limit where a process gets this part of a processor at least. */
const FREE = 0.8

/** Whether other work of this machine leaves too little of a processor for a limit on the clock to mean anything. */
export function isBusy(): boolean {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  while (performance.now() - startedAt < WORK_MS);
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 < FREE * WORK_MS
}
