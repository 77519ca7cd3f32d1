// The first module of the process: from here on no signal finds it without a handler, which would end it as if killed.

/** Signals that stop the service. A terminal that is closed sends SIGHUP. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
export type StopSignal = (typeof SIGNALS)[number]

/** Nothing has begun that would have to be finished. */
const endAtOnce = () => process.exit(0)
for (const signal of SIGNALS) process.on(signal, endAtOnce)

/** From now on `stop` is called at each signal. */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  // First on, then off: without any listener for a moment, a signal that is on its way would be lost.
  for (const signal of SIGNALS) process.on(signal, () => stop(signal)).off(signal, endAtOnce)
}
