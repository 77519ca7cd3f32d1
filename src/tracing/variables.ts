import { z } from 'zod'

/** The sampling rules of OpenTelemetry's specification. */
const SAMPLER_NAMES = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
] as const
export type SamplerName = (typeof SAMPLER_NAMES)[number]

const PROTOCOLS = ['http/protobuf', 'http/json'] as const

const PAIRS = 'name=value pairs with commas between them, percent-encoded'
const HEADER = /^\s*[\w!#$&'*+.^`|~-]+\s*=([^,;]+)$/
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]+$/
const ATTRIBUTE = /^\s*([^\s=,]+)\s*=([^,=]*)$/
/** Characters of a name and of a value: with more, the SDK takes none of the attributes. */
const MOST_CHARACTERS = 255

function oneOf<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z
    .enum(names)
    .optional()
    .meta({ rule: `one of ${names.join(', ')}` })
}

/** The SDK silently drops a pair that it cannot read, or cuts it off at a semicolon: such a value is refused here. */
function pairs(isPair: (given: string) => boolean) {
  return z
    .string()
    .refine((given) => given.split(',').every(isPair))
    .optional()
    .meta({ rule: PAIRS })
}

function isHeader(given: string): boolean {
  const value = HEADER.exec(given)?.[1]
  return value !== undefined && FIELD_VALUE.test(decoded(value) ?? '')
}

function isAttribute(given: string): boolean {
  const [, ...parts] = ATTRIBUTE.exec(given) ?? []
  return parts.length > 0 && parts.every((part) => (decoded(part)?.length ?? Infinity) <= MOST_CHARACTERS)
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return undefined
  }
}

function integer(fallback: number, min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/)
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .prefault(String(fallback))
    .meta({ rule: `an integer from ${min} to ${max}` })
}

/** Without a user in it: an address stands in logs and errors, a secret goes into the headers. One that has a user is refused without showing it. */
function address() {
  return z
    .string()
    .refine((given) => /^https?:\/\/[^?#@]+$/.test(given) && URL.canParse(given))
    .optional()
    .meta({ rule: 'an http or https URL without user, query or fragment', mayHaveUser: true })
}

/**
 * The variables of OpenTelemetry's specification that decide whether and how requests are traced. What else its SDK
 * knows (certificates, compression, the exporter's time-out) it reads itself.
 */
export const TRACING_VARIABLES = {
  OTEL_EXPORTER_OTLP_ENDPOINT: address().describe(
    'Collector that traces go to, by OTLP over HTTP, at `/v1/traces` below this address. Default: none, and nothing is traced.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address().describe('The same as a whole address.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(PROTOCOLS).describe(
    'How traces are written. Default: http/protobuf. OTLP over gRPC is not spoken.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf(PROTOCOLS).describe('The same, before the other.'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs(isHeader)
    .meta({ secret: true })
    .describe('Headers for the collector, such as its key.'),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']).describe(
    'otlp: traces go to the endpoint, by default http://localhost:4318. none: nothing is traced. Default: otlp where an endpoint is set.',
  ),
  OTEL_SDK_DISABLED: oneOf(['true', 'false']).describe('true: nothing is traced, whatever else is set.'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .meta({ rule: 'a name' })
    .describe('Name of this service in traces. Default: inlet.'),
  OTEL_RESOURCE_ATTRIBUTES: pairs(isAttribute).describe('What else traces say of this service.'),
  OTEL_TRACES_SAMPLER: oneOf(SAMPLER_NAMES).describe(
    'Which requests are traced. Default: parentbased_always_on, all but those whose `traceparent` says no.',
  ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/)
    .transform(Number)
    .optional()
    .meta({ rule: 'a number from 0 to 1' })
    .describe('Share of requests that `traceidratio` takes. Default: 1.'),
  OTEL_BSP_SCHEDULE_DELAY: integer(5000, 1, 3_600_000).describe(
    'How long spans are gathered before they are sent, in milliseconds.',
  ),
  OTEL_BSP_MAX_QUEUE_SIZE: integer(2048, 64, 1_000_000).describe(
    'Spans of a thread that may wait, those of running requests included. Beyond it requests are not traced.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integer(512, 1, 2048).describe('Most spans that are sent at once.'),
} as const

const variables = z.object(TRACING_VARIABLES)
/** These variables as the configuration has them. */
export type TracingConfig = Readonly<z.output<typeof variables>>

/** Whether the environment asks for traces. */
export function asksForTraces(config: TracingConfig): boolean {
  if (config.OTEL_SDK_DISABLED === 'true' || config.OTEL_TRACES_EXPORTER === 'none') return false
  const endpoint = config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? config.OTEL_EXPORTER_OTLP_ENDPOINT
  return config.OTEL_TRACES_EXPORTER === 'otlp' || endpoint !== undefined
}
