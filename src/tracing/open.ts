import type { TraceLog } from './trace-log.js'
import type { Tracing } from './tracing.js'
import { asksForTraces, type TracingConfig } from './variables.js'

/** Opens the tracing of a thread; undefined where the environment asks for none: nothing of the SDK is loaded then. */
export async function openTracing(
  config: TracingConfig,
  thread: number,
  log: TraceLog,
): Promise<Tracing | undefined> {
  if (!asksForTraces(config)) return undefined
  const { OpenTelemetry } = await import('./open-telemetry.js')
  return new OpenTelemetry(config, thread, log)
}
