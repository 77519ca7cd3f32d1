import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** Reads `test/goldens/NAME`. */
export function readGolden<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`goldens/${name}`, import.meta.url), 'utf8')) as T
}

/** sha256 in hex, of bytes or of an array's little-endian bytes. */
export function sha256(values: Uint8Array | Float32Array | Int32Array): string {
  return createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')
}

/** The text written for this project: prose with a little of everything that UTF-8 can be. */
export function sampleText(): string {
  return readFileSync(new URL('../docs/sample.txt', import.meta.url), 'utf8')
}

const VERDICT = new URL('../../shared/data/the-verdict.txt', import.meta.url)

/**
 * Edith Wharton, "The Verdict", where it lies beside the project; undefined, and a line that says so, where
 * it does not. Its 5,145 ids are in `goldens/verdict-ids.json` everywhere.
 */
export function verdictText(): string | undefined {
  if (existsSync(VERDICT)) return readFileSync(VERDICT, 'utf8')
  console.info('skipped where ../shared/data/the-verdict.txt is not: what needs the text itself')
  return undefined
}

/** The text's GPT-2 ids. */
export function verdictIds(): number[] {
  return readGolden<{ input_ids: number[] }>('verdict-ids.json').input_ids
}
