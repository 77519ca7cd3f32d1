import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Room } from './room.js'

/**
 * How long an export may take, all tries together. OTLP's exporter bounds the silence of a collector, not one that
 * answers a byte now and then: such an export would keep its room for ever.
 */
export const EXPORT_MS = 30_000

/** Sends spans by another exporter, and tells the room what became of them. */
export class CountedExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly room: Room,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    let isOver = false
    const end = (result: ExportResult) => {
      if (isOver) return
      isOver = true
      clearTimeout(late)
      this.room.sent(spans.length, result.code === ExportResultCode.SUCCESS)
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
