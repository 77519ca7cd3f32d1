import { InletError } from '../errors.js'
import type { JobRoom } from '../first-layer/tokens/rust/limits.js'
import { pagesForLarge } from './admission.js'
import { type Ledger, PAGE_BYTES, pagesOf } from './ledger.js'

/**
 * The ledger's room for the jobs of the tokenizer library, which has an account there of its own: it holds what a job
 * takes until the library is done with it, also where the request has ended before. Long jobs leave what small requests have
 * for themselves.
 */
export class LibraryRoom implements JobRoom {
  readonly #most: number

  constructor(private readonly ledger: Ledger) {
    this.#most = pagesForLarge(ledger.maxPages)
  }

  take(bytes: number, isShort: boolean): boolean {
    const pages = pagesOf(bytes)
    if (pages > this.#most) throw neverFits(bytes, this.#most * PAGE_BYTES)
    return this.ledger.take(pages, isShort ? this.ledger.maxPages : this.#most)
  }

  give(bytes: number): void {
    this.ledger.give(pagesOf(bytes))
  }
}

function neverFits(bytes: number, most: number): InletError {
  const message = `The tokenizer must hold at most ${most} bytes for a text, of MAX_BYTES_IN_FLIGHT. It would hold ${bytes}`
  return new InletError('invalid_request', message)
}
