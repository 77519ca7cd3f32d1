import { jsonTextKernel } from '../../first-layer/kernels/json-text-kernel.js'

/** So much of a string is read byte by byte first: a call of the kernel takes as long. */
export const FEW_BYTES = 128
/** Bytes of the first call. The next ones read four times as many: most strings are short. */
const FIRST_BYTES = 512
/** Most bytes of what a call leaves because it goes on behind them, a pair of escapes less one byte. */
const CUT_BYTES = 11

/**
 * Reads a string's content, `from` to `to` at most, up to what needs a closer look: a quote, a control character, half a
 * surrogate pair, an escape that is broken or goes on behind `to`.
 *
 * @param take gets it as UTF-8, part by part, each valid during the call
 * @returns where it stopped
 */
export function contentEnd(
  bytes: Buffer,
  from: number,
  to: number,
  take?: (utf8: Uint8Array) => void,
): number {
  const kernel = jsonTextKernel()
  let at = from
  for (let most = FIRST_BYTES; at < to; most = Math.min(4 * most, kernel.most)) {
    const end = Math.min(at + most, to)
    const read = kernel.read(bytes.subarray(at, end))
    take?.(kernel.written)
    at += read
    if (read === 0 || end - at > CUT_BYTES) break
  }
  return at
}
