import { basename } from 'node:path'
import { idOf } from './recipe.js'

/** What an input holds, and how it is packed. */
export interface InputKind {
  readonly holds: 'text' | 'ndjson' | 'parquet'
  readonly packing?: Packing | undefined
}

export type Packing = 'gzip' | 'brotli' | 'zstd'

/** One input, which becomes one output. */
export interface Shard extends InputKind {
  /** As it was given; `-` is standard input. */
  readonly path: string
  /** Bytes of the file; 0 where that is not known. */
  readonly bytes: number
}

const HOLDS: Readonly<Record<string, InputKind['holds']>> = {
  txt: 'text',
  text: 'text',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
}

const PACKINGS: Readonly<Record<string, Packing>> = { gz: 'gzip', br: 'brotli', zst: 'zstd' }

/** Endings of inputs, for messages. */
export const INPUT_ENDINGS = Object.keys(HOLDS)
export const PACKED_ENDINGS = Object.keys(PACKINGS)

/** What a file holds, by its ending: `a.jsonl.gz`, or `jsonl.gz` alone, is packed JSON lines. Undefined: not known. */
export function inputKind(path: string): InputKind | undefined {
  const parts = path.toLowerCase().split('.')
  const packing = PACKINGS[parts.at(-1)!]
  if (packing !== undefined) parts.pop()
  const holds = HOLDS[parts.at(-1)!]
  return holds && { holds, packing }
}

/** Bytes of a name, of which 255 are allowed: the rest of an output's name has its place beside them. */
const NAME_BYTES = 180

/** An input's name, as records and lists have it: `in/part-1.txt.gz` → `part-1.txt.gz`. */
export function inputName({ path }: Pick<Shard, 'path'>): string {
  if (path === '-') return 'stdin'
  const name = Buffer.from(basename(path))
  return name.length <= NAME_BYTES ? name.toString() : new TextDecoder().decode(name.subarray(0, NAME_BYTES))
}

/** The same without its endings: `part-1`. */
export function inputStem(name: string): string {
  const [ending = ''] = /(\.[a-z]+){1,2}$/i.exec(name) ?? []
  const known = ending
    .split('.')
    .filter((part) => part.toLowerCase() in HOLDS || part.toLowerCase() in PACKINGS)
  return known.length === 0 ? name : name.slice(0, -known.join('.').length - 1) || name
}

/** 26 letters that name an output: of the recipe, of what its input holds, and of the input's bytes. */
export function shardKey(recipe: string, { holds, packing }: InputKind, inputSha256: string): string {
  return idOf([recipe, holds, packing ?? null, inputSha256])
}
