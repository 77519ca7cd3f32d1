/** A place where the encoder got other bytes than the document has. */
interface Change {
  /** Where it begins, and ends, in what the encoder got. */
  readonly given: number
  readonly givenEnd: number
  /** Where its characters stand in the document. */
  readonly start: number
  readonly end: number
  /** Where in the document the bytes stand that the encoder gets behind it. */
  readonly next: number
}

/** Changes behind the place asked for last that are kept before they are dropped together. */
const MAX_PAST = 1024

/** Where in the document the bytes stand that the encoder got. All places rise. */
export class Alignment {
  readonly #changes: Change[] = []
  #first = 0

  /** @param start where the text begins in the document */
  constructor(start: number) {
    this.#changes.push({ given: 0, givenEnd: 0, start, end: start, next: start })
  }

  add(change: Change): void {
    if (this.#first > MAX_PAST) {
      this.#changes.splice(0, this.#first)
      this.#first = 0
    }
    this.#changes.push(change)
  }

  /** Where in the document a token begins that begins at `given`. To be asked for rising places. */
  startOf(given: number): number {
    while (this.#first + 1 < this.#changes.length && this.#changes[this.#first + 1]!.given <= given)
      this.#first++
    const change = this.#changes[this.#first]!
    return given < change.givenEnd ? change.start : change.next + (given - change.givenEnd)
  }

  /** Where in the document a token ends that ends at `given`: behind all of a change that it has a part of. */
  endOf(given: number): number {
    let last = this.#first
    while (last + 1 < this.#changes.length && this.#changes[last + 1]!.given < given) last++
    const change = this.#changes[last]!
    return given <= change.givenEnd ? change.end : change.next + (given - change.givenEnd)
  }
}
