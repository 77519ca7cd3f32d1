import { z } from 'zod'
import type { Feature } from '../../service/feature.js'

const config = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((given) => /^https?:\/\//.test(given) && URL.canParse(given), 'It is none.')
    .optional()
    .meta({ rule: 'an http or https URL', secret: true, group: 'Traces' }) // it may hold a password
    .describe(
      'Collector that traces go to, by OTLP over HTTP. OpenTelemetry’s SDK is loaded where it is set, and reads its other variables itself. Default: none, and nothing is traced.',
    ),
} as const

declare module '../../service/process/config.js' {
  interface FeatureVariables extends Readonly<z.output<z.ZodObject<typeof config>>> {}
}

/** A span of OpenTelemetry for each request, if a collector is set. */
export const tracing: Feature = {
  name: 'tracing',
  config,
  requestHeaders: ['traceparent', 'tracestate'],
  async watch({ config, logger, onEnd }) {
    if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
    const { openTraces } = await import('./traces.js')
    const traces = openTraces((reason) => logger.warn({ reason }, 'traces'))
    onEnd(traces.finish)
    return traces
  },
}
