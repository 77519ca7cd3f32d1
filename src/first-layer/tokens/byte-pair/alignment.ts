/** A place where the encoder's text differs from the document's. */
interface Change {
  /** Begin and end in the encoder's text. */
  readonly given: number
  readonly givenEnd: number
  /** Begin and end of its characters in the document. */
  readonly start: number
  readonly end: number
  /** Place in the document of the encoder's next byte. */
  readonly next: number
}

/** Translates places in the encoder's text, which must rise, into places in the document. */
export class Alignment {
  /** From the last one that begins before the present place on. */
  readonly #changes: Change[]

  /** @param start place in the document where the text begins */
  constructor(start: number) {
    this.#changes = [{ given: 0, givenEnd: 0, start, end: start, next: start }]
  }

  add(change: Change): void {
    this.#changes.push(change)
  }

  /** Place in the document where a token begins that begins at `given`. */
  startOf(given: number): number {
    while (this.#changes.length > 1 && this.#changes[1].given <= given) this.#changes.shift()
    const [change] = this.#changes
    return given < change.givenEnd ? change.start : change.next + (given - change.givenEnd)
  }

  /** Place in the document where a token ends that ends at `given`: behind all of a change of which it has a part. */
  endOf(given: number): number {
    let last = 0
    while (last + 1 < this.#changes.length && this.#changes[last + 1].given < given) last++
    const change = this.#changes[last]
    return given <= change.givenEnd ? change.end : change.next + (given - change.givenEnd)
  }
}
