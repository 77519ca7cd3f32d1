import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Room } from './room.js'

/** Sends spans by another exporter, and tells the room what became of them. */
export class CountedExporter implements SpanExporter {
  constructor(
    private readonly exporter: SpanExporter,
    private readonly room: Room,
  ) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.room.sent(spans.length, result.code === ExportResultCode.SUCCESS)
      done(result)
    })
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.()
  }
}
