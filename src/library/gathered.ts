/** All blocks as one array. @param bytes of all of them */
export function gathered(blocks: Iterable<Uint8Array>, bytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(bytes)
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.byteLength
  }
  return all
}
