import { defaultTextMapGetter, diag, ROOT_CONTEXT, type Span, SpanKind } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RequestEnd } from '../../service/answer/request-end.js'

/**
 * A span for each request, made and sent by OpenTelemetry's SDK, which reads its own `OTEL_…` variables. Imported only
 * where an endpoint is set: the bundle has it in a separate file.
 *
 * @param warn told what the SDK could not do, such as reach the collector
 */
export function openTraces(warn: (reason: string) => void) {
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} })
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'inlet' }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('inlet')
  const propagator = new W3CTraceContextPropagator()
  const spans = new WeakMap<FastifyRequest, Span>()
  return {
    begin(request: FastifyRequest): void {
      const parent = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter)
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER }, parent)
      spans.set(request, span)
      const { traceId, spanId } = span.spanContext()
      request.log = request.log.child({ traceId, spanId })
    },
    /** Names are those of the conventions for HTTP. The route's pattern stands for the path, which may hold anything. */
    end(request: FastifyRequest, _reply: FastifyReply, { route, status, bytes }: RequestEnd): void {
      const span = spans.get(request)
      if (span === undefined) return
      const { method, errorCode, figures, usedModel } = request
      span.updateName(route === undefined ? 'request' : `${method} ${route}`).setAttributes({
        ...(route !== undefined && { 'http.request.method': method, 'http.route': route }),
        ...{ 'http.response.status_code': status, 'http.response.body.size': bytes },
        ...{ 'error.type': errorCode, 'inlet.caller': request.caller?.name },
        ...{ 'inlet.model': usedModel, 'inlet.num_tokens': figures?.numTokens },
      })
      span.end()
    },
    finish: () => provider.shutdown().catch((error: Error) => warn(error.message)),
  }
}
