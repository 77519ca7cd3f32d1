/** Where something stands in a body: the bytes from `start` to `end`. */
export interface Place {
  readonly start: number
  readonly end: number
}

/** A change to a body: the bytes from `start` to `end` give way to a document's rows or ids, with text around them. */
export interface Splice extends Place {
  readonly before: string
  /** The document that stands there, as a torch file in base64 or as its ids; absent: text alone. */
  readonly document?: number
  readonly after: string
}

const [COMMA, SPACES] = [0x2c, new Set([0x20, 0x09, 0x0a, 0x0d])]

/** The change that takes a member out of an object, with the comma behind it, or before it where it is the last. */
export function removal(bytes: Uint8Array, { start, end }: Place): Splice {
  let after = end
  while (SPACES.has(bytes[after])) after++
  if (bytes[after] === COMMA) return { start, end: after + 1, before: '', after: '' }
  let from = start
  while (SPACES.has(bytes[from - 1])) from--
  return { start: bytes[from - 1] === COMMA ? from - 1 : start, end, before: '', after: '' }
}

/** Changes in the order of a body, with one more among them. */
export function* withSplice(splices: Iterable<Splice>, another: Splice): Generator<Splice, void, void> {
  let isLeft = true
  for (const splice of splices) {
    if (isLeft && another.start < splice.start) {
      yield another
      isLeft = false
    }
    yield splice
  }
  if (isLeft) yield another
}
