import type { TokenBuffer } from '../token-buffer.js'
import type { BytePairKernel, Document } from './byte-pair-kernel.js'
import { ADVANCE_BYTES, type Segments } from './document-stream.js'

/** Gives text to the kernel unchanged. */
export class PlainSegments implements Segments {
  readonly mostBytes = ADVANCE_BYTES
  readonly #document: Document = {}

  constructor(private readonly kernel: BytePairKernel) {}

  run(utf8: Uint8Array, _start: number, isEnd: boolean, ids: TokenBuffer): boolean {
    return this.kernel.run(this.#document, utf8, isEnd, ids)
  }

  leave(): void {
    this.kernel.leave(this.#document)
  }

  add(id: number, _start: number, _end: number, ids: TokenBuffer): void {
    ids.push(id)
  }
}
