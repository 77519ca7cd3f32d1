import type { FileHandle } from 'node:fs/promises'

/** Bytes of one read. */
const PIECE_BYTES = 1 << 20

/** Fills `out` with a file's bytes from `position` on. @throws Error where the file ends before */
export async function readAt(handle: FileHandle, out: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < out.length; ) {
    const length = Math.min(PIECE_BYTES, out.length - at)
    const { bytesRead } = await handle.read(out, at, length, position + at)
    if (bytesRead === 0) throw new Error('The file has become shorter than it was.')
    at += bytesRead
  }
}
