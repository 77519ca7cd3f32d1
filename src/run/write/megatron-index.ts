/** Codes of element types in an index (`DType` of Megatron-LM's indexed_dataset.py). */
export const MEGATRON_DTYPES = { uint16: { code: 8, bytes: 2 }, int32: { code: 4, bytes: 4 } } as const

const MAGIC = Buffer.from('MMIDIDX\0\0', 'latin1')
const VERSION = 1n
/** Numbers of a block. */
const BLOCK = 1 << 13

/**
 * The index of Megatron-LM's datasets, little-endian: magic (9 bytes), version (uint64), type of ids (uint8), number of
 * sequences S and of documents + 1 (uint64), lengths [S] int32 in ids, where each begins [S] int64 in bytes, the first
 * sequence of each document and their end [S + 1] int64. Each document is one sequence.
 *
 * @param lengths their int32 bytes, in blocks cut between numbers; read twice
 */
export async function* megatronIndex(
  dtype: keyof typeof MEGATRON_DTYPES,
  count: number,
  lengths: () => AsyncIterable<Buffer>,
): AsyncGenerator<Uint8Array, void, void> {
  const { code, bytes } = MEGATRON_DTYPES[dtype]
  const head = Buffer.alloc(MAGIC.length + 25)
  MAGIC.copy(head)
  head.writeBigUInt64LE(VERSION, 9)
  head.writeUInt8(code, 17)
  head.writeBigUInt64LE(BigInt(count), 18)
  head.writeBigUInt64LE(BigInt(count + 1), 26)
  yield head
  yield* lengths()
  let place = 0n
  for await (const block of lengths()) {
    const places = new BigInt64Array(block.length / 4)
    for (let i = 0; i < places.length; i++) {
      places[i] = place
      place += BigInt(block.readInt32LE(4 * i) * bytes)
    }
    yield new Uint8Array(places.buffer)
  }
  for (let first = 0; first <= count; first += BLOCK) {
    const length = Math.min(BLOCK, count + 1 - first)
    yield new Uint8Array(BigInt64Array.from({ length }, (_, i) => BigInt(first + i)).buffer)
  }
}
