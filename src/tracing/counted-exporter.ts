import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { RateLimiter } from './rate-limiter.js'

/**
 * How long an export may take, all tries together. OTLP's exporter bounds the silence of a collector, not one that
 * answers a byte now and then: such an export would keep its places for ever.
 */
export const EXPORT_MS = 30_000

/** Sends spans by another exporter, and reports their outcome to the rate limiter. */
export class CountedExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly limiter: RateLimiter,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    let isOver = false
    const end = (result: ExportResult) => {
      if (isOver) return
      isOver = true
      clearTimeout(late)
      this.limiter.sent(spans.length, result.code === ExportResultCode.SUCCESS)
      done(result)
    }
    const late = setTimeout(() => {
      const error = new Error(`The collector did not take them within ${EXPORT_MS} ms`)
      end({ code: ExportResultCode.FAILED, error })
    }, EXPORT_MS)
    late.unref()
    this.exporter.export(spans, end)
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.()
  }
}
