import type { TraceLog, Tracing } from './tracing.js'
import { asksForTraces, type TracingConfig } from './variables.js'

/**
 * Opens the tracing of a thread; undefined where the environment asks for none: nothing of the SDK is loaded then.
 *
 * @throws Error where the SDK, which are optional packages, was not there to be built in
 */
export async function openTracing(
  config: TracingConfig,
  thread: number,
  log: TraceLog,
): Promise<Tracing | undefined> {
  if (!asksForTraces(config)) return undefined
  const { OpenTelemetry } = await import('./open-telemetry.js').catch(absent)
  return new OpenTelemetry(config, thread, log)
}

function absent(cause: Error): never {
  const message = `OTEL_… variables ask for traces, and OpenTelemetry's optional packages are absent: ${cause.message}`
  throw new Error(message, { cause })
}
