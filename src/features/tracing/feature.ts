import type { Feature } from '../../service/feature.js'

/** A span of OpenTelemetry for each request, where a collector is set. */
export const tracing: Feature = {
  name: 'tracing',
  async watch({ config, logger, onEnd }) {
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
    const { openTraces } = await import('./traces.js')
    const traces = openTraces((reason) => logger.warn({ reason }, 'traces'))
    onEnd(traces.finish)
    return traces
  },
}
