/**
 * Bytes that flow in blocks. A block is a view of a buffer that is used again: it is valid only until the next one is asked
 * for. They come later, one by one, where rows are read from a disk.
 */
export type Blocks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

export function comeLater(blocks: Blocks): blocks is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in blocks
}

export type BlockSource = Iterator<Uint8Array, void> | AsyncIterator<Uint8Array, void>

export function begun(blocks: Blocks): BlockSource {
  return Symbol.asyncIterator in blocks ? blocks[Symbol.asyncIterator]() : blocks[Symbol.iterator]()
}

/** The blocks of several, one after the other. */
export function chained(parts: readonly Blocks[]): Blocks {
  for (const part of parts) if (Symbol.asyncIterator in part) return chainedLater(parts)
  return chainedNow(parts as readonly Iterable<Uint8Array>[])
}

function* chainedNow(parts: readonly Iterable<Uint8Array>[]): Generator<Uint8Array, void, void> {
  for (const part of parts) yield* part
}

async function* chainedLater(parts: readonly Blocks[]): AsyncGenerator<Uint8Array, void, void> {
  for (const part of parts) yield* part
}

/** What becomes of blocks: of each slice of one, and after the last. */
export interface BlockWriter {
  /** Bytes of a slice, at most. */
  readonly most: number
  each(slice: Uint8Array): Uint8Array
  end?(): Uint8Array
  /** Called after the last one that is asked for. */
  release?(): void
}

/** @param start makes the writer, when the first block is asked for */
export function written(blocks: Blocks, start: () => BlockWriter): Blocks {
  return Symbol.asyncIterator in blocks ? writtenLater(blocks, start) : writtenNow(blocks, start)
}

function* writtenNow(
  blocks: Iterable<Uint8Array>,
  start: () => BlockWriter,
): Generator<Uint8Array, void, void> {
  const writer = start()
  try {
    for (const block of blocks)
      for (let at = 0; at < block.length; at += writer.most)
        yield writer.each(block.subarray(at, at + writer.most))
    if (writer.end !== undefined) yield writer.end()
  } finally {
    writer.release?.()
  }
}

async function* writtenLater(
  blocks: AsyncIterable<Uint8Array>,
  start: () => BlockWriter,
): AsyncGenerator<Uint8Array, void, void> {
  const writer = start()
  try {
    for await (const block of blocks)
      for (let at = 0; at < block.length; at += writer.most)
        yield writer.each(block.subarray(at, at + writer.most))
    if (writer.end !== undefined) yield writer.end()
  } finally {
    writer.release?.()
  }
}

/** The blocks of tensors of which no row is read later. @throws TypeError for others */
export function blocksNow(blocks: Blocks): Iterable<Uint8Array> {
  if (comeLater(blocks)) throw new TypeError('These rows are read from a disk, one block after the other.')
  return blocks
}

const BLOCK_BYTES = 1 << 20

/** Bytes in blocks of a megabyte. */
export function* inBlocks(bytes: Uint8Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES)
}

/** Bytes that are made as they are read, and how many they are. Each call of `blocks` starts from their beginning. */
export interface Written {
  readonly bytes: number
  blocks(): Blocks
}

/** All of them, of which none come later. */
export function gathered(written: Written): Uint8Array
export function gathered<All extends Uint8Array>(written: Written, all: All): All
export function gathered({ bytes, blocks }: Written, all = new Uint8Array(bytes)): Uint8Array {
  let at = 0
  for (const block of blocksNow(blocks())) {
    all.set(block, at)
    at += block.byteLength
  }
  return all
}

/** Buffers of one size, used again: new ones are slow to allocate, and burden the garbage collector. */
export class BufferPool {
  readonly #free: Buffer[] = []

  /** @param most buffers that are kept; beyond these, `take` makes new ones */
  constructor(
    private readonly bytes: number,
    private readonly most: number,
  ) {}

  /** Not zeroed: every block is written before it is read. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  give(block: Buffer): void {
    if (this.#free.length < this.most) this.#free.push(block)
  }
}
