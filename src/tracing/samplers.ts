import { type Attributes, type Context, type Link, type SpanKind, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { RateLimiter } from './rate-limiter.js'
import type { SamplerName, TracingConfig } from './variables.js'

const SAMPLERS: Readonly<Record<SamplerName, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

/** Of phases: those of a request that is not taken are not made. */
const OF_TAKEN: SamplingResult = { decision: SamplingDecision.RECORD_AND_SAMPLED }

/** The rule that the environment names. */
export function samplerOf(config: TracingConfig): Sampler {
  const { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on', OTEL_TRACES_SAMPLER_ARG: ratio = 1 } = config
  return SAMPLERS[name](ratio)
}

/** Takes the requests that a rule takes, and holds places for them; their phases are taken with them. */
export class RateLimitingSampler implements Sampler {
  constructor(
    private readonly rule: Sampler,
    private readonly limiter: RateLimiter,
  ) {}

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    links: Link[],
  ): SamplingResult {
    const parent = trace.getSpanContext(context)
    if (parent !== undefined && !parent.isRemote) return OF_TAKEN
    const result = this.rule.shouldSample(context, traceId, name, kind, attributes, links)
    if (result.decision === SamplingDecision.NOT_RECORD) return result
    this.limiter.begin()
    return result
  }

  toString(): string {
    return `RateLimiter{${this.rule}}`
  }
}
