import { basename, normalize } from 'node:path'
import { idOf } from '../first-layer/datasets/recipe.js'
import { isLocation } from './objects/location.js'

export interface InputKind {
  readonly holds: 'text' | 'ndjson' | 'parquet'
  readonly packing?: Packing | undefined
}

export type Packing = 'gzip' | 'brotli' | 'zstd'

/** One input, which becomes one output. */
export interface Shard extends InputKind {
  /** As it was given; `-` is standard input. */
  readonly path: string
  /** Bytes of the file; 0 if that is not known. */
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

export const INPUT_ENDINGS = Object.keys(HOLDS)
export const PACKED_ENDINGS = Object.keys(PACKINGS)

/** The format of a file, by its ending: `a.jsonl.gz`, or `jsonl.gz` alone, is packed JSON lines. Undefined: not known. */
export function inputKind(path: string): InputKind | undefined {
  const parts = path.toLowerCase().split('.')
  const packing = PACKINGS[parts.at(-1)!]
  if (packing !== undefined) parts.pop()
  const holds = HOLDS[parts.at(-1)!]
  return holds && { holds, packing }
}

/** Bytes of a name, of which 255 are allowed: the rest of an output's name has its place beside them. */
const NAME_BYTES = 180

/** What an input is, as records and lists have it: its path as it was given, `./in/part-1.txt` as `in/part-1.txt`. */
export function inputOf(path: string): string {
  return path === '-' ? 'stdin' : isLocation(path) ? path : normalize(path)
}

/** A name for people, not an identity: `in/part-1.txt.gz` → `part-1.txt.gz`. */
export function inputName(path: string): string {
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

/** 26 letters that name an output: of the recipe (of chats two), of the input, of what it holds, and of its bytes. */
export function shardKey(
  recipe: string,
  { path, holds, packing }: Omit<Shard, 'bytes'>,
  inputSha256: string,
  chatsRecipe?: string,
): string {
  const chats = chatsRecipe === undefined ? [] : [chatsRecipe]
  return idOf([recipe, holds, packing ?? null, inputOf(path), inputSha256, ...chats])
}

/** Which part of the inputs a worker does: shard `index` of `count`. */
interface Share {
  readonly index: number
  readonly count: number
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * This worker's share, by what names it first: `--shard i/n`, INLET_SHARD, Slurm's array, Kubernetes' indexed Job. With
 * INLET_SHARDS, or JOB_COMPLETIONS, the scheduler's number alone counts, from 0: an array may then be repeated in part.
 * Without all of them one worker does everything.
 *
 * @param given the value of `--shard`
 * @throws Error naming the flag or the variable, the rule and the value
 */
export function shareOf(given: string | undefined, env: Env): Share {
  if (given !== undefined) return parsed('--shard', given)
  if (env.INLET_SHARD) return parsed('INLET_SHARD', env.INLET_SHARD)
  const countName = env.INLET_SHARDS ? 'INLET_SHARDS' : 'JOB_COMPLETIONS'
  const count = env[countName] ? integer(env, countName) : undefined
  if (count === 0) throw new Error(`${countName} must be at least 1. Given: 0`)
  for (const name of ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX'] as const) {
    if (!env[name]) continue
    if (count !== undefined) return within(name, integer(env, name), count)
    if (name === 'SLURM_ARRAY_TASK_ID') return ofArray(env)
    throw new Error(`INLET_SHARDS, the Job's completions, is needed beside ${name}. Given: nothing`)
  }
  return { index: 0, count: 1 }
}

/** The inputs of a share, in the order of their names: every `count`-th one. */
export function inputsOf(paths: readonly string[], { index, count }: Share): readonly string[] {
  return [...new Set(paths)].sort().filter((_, place) => place % count === index)
}

/** `2/8`: the third of eight. */
function parsed(source: string, given: string): Share {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(given) ?? []
  if (index === undefined || Number(index) >= Number(count)) {
    throw new Error(`${source} must be i/n with i from 0 to n − 1, as 0/8. Given: ${given}`)
  }
  return { index: Number(index), count: Number(count) }
}

/** A task of Slurm's array, `--array=MIN-MAX:STEP`. */
function ofArray(env: Env): Share {
  const [id, first, last, count] = (['ID', 'MIN', 'MAX', 'COUNT'] as const).map((name) =>
    integer(env, `SLURM_ARRAY_TASK_${name}`),
  ) as [number, number, number, number]
  const step = env.SLURM_ARRAY_TASK_STEP ? integer(env, 'SLURM_ARRAY_TASK_STEP') : 1
  if ((last - first) / step + 1 !== count) {
    const given = `${count} tasks from ${first} to ${last}, step ${step}`
    throw new Error(
      `SLURM_ARRAY_TASK_COUNT must be that of a whole range: INLET_SHARDS makes parts of an array possible. Given: ${given}`,
    )
  }
  return within('SLURM_ARRAY_TASK_ID', (id - first) / step, count, id)
}

function within(name: string, index: number, count: number, given = index): Share {
  if (Number.isInteger(index) && index >= 0 && index < count) return { index, count }
  throw new Error(`${name} must name one of ${count} shards. Given: ${given}`)
}

function integer(env: Env, name: string): number {
  const text = env[name] ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new Error(`${name} must be an integer from 0. Given: ${text || 'nothing'}`)
}
