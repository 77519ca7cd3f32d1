import { readFile } from 'node:fs/promises'
import { packageFile } from '../package-file.js'
import type { EncodingName } from './encodings.js'

/** An encoding's data from js-tiktoken. */
export interface RankFile {
  /** Lines of `! FIRST_RANK TOKEN TOKEN …`, the tokens in base64. */
  readonly ranks: Uint8Array
  /** Literal → id. */
  readonly specialTokens: ReadonlyMap<string, number>
}

const NEWLINE = 0x0a

/**
 * Reads `dist/ranks/NAME.txt`: the special tokens as JSON in the first line, then the ranks. The build writes it from
 * js-tiktoken's module (build.mjs), whose import would block the event loop for twenty milliseconds.
 *
 * @throws Error if it has not been built
 */
export async function readRankFile(name: EncodingName): Promise<RankFile> {
  const file = await readFile(packageFile(`dist/ranks/${name}.txt`)).catch((cause) => {
    throw new Error(`The ranks of ${name} are not built: run npm run build.`, { cause })
  })
  const end = file.indexOf(NEWLINE)
  const special = JSON.parse(file.toString('utf8', 0, end)) as Record<string, number>
  return { ranks: file.subarray(end + 1), specialTokens: new Map(Object.entries(special)) }
}
