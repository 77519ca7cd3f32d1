import { stat } from 'node:fs/promises'
import { Gate } from '../../objects/gate.js'
import { isLocation } from '../../objects/location.js'
import { openInputFile } from '../../run/read/input-file.js'
import { INPUT_ENDINGS, type InputKind, inputKind, PACKED_ENDINGS, type Shard } from '../../run/shard.js'
import { inputsOf, ShareError, shareOf } from '../../run/share.js'
import { UsageError } from '../exit.js'
import { linesOf } from './lines-of.js'

/** Objects that are asked for their size at the same time. */
const gate = new Gate(16)

/** The inputs of a command line, all of them and this worker's. */
export interface Inputs {
  readonly numAll: number
  readonly shards: readonly Shard[]
}

/**
 * The shards that this worker is to make. A file that is not there fails as a shard, beside the others.
 *
 * @throws UsageError for no input, for one whose ending tells nothing, and for a wrong share
 */
export async function inputsFrom(
  paths: readonly string[],
  values: ReadonlyMap<string, string>,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Inputs> {
  const list = values.get('files-from')
  const all = list === undefined ? paths : [...paths, ...(await linesOf(list, '--files-from', signal))]
  if (all.length === 0) throw new UsageError('inlet run: an input is needed, or - for stdin.')
  const own = inputsOf(all, share(values.get('shard'), env))
  const type = values.get('type')
  if (type !== undefined && inputKind(type) === undefined)
    throw new UsageError(
      `--type must be one of ${INPUT_ENDINGS.join(', ')}, or these and .gz. Given: ${type}`,
    )
  const shards = own.map(async (path) => ({ path, ...kindOf(path, type), bytes: await sizeOf(path) }))
  return { numAll: new Set(all).size, shards: await Promise.all(shards) }
}

function share(given: string | undefined, env: NodeJS.ProcessEnv) {
  try {
    return shareOf(given, env)
  } catch (error) {
    throw error instanceof ShareError ? new UsageError(error.message, { cause: error }) : error
  }
}

function kindOf(path: string, type: string | undefined): InputKind {
  const kind = inputKind(type ?? path)
  if (path === '-' && kind?.holds === 'parquet')
    throw new UsageError('Parquet must be a file: what it holds stands at its end. Given: - for stdin')
  if (kind !== undefined) return kind
  const endings = [INPUT_ENDINGS, PACKED_ENDINGS].map((each) => each.map((name) => `.${name}`).join(', '))
  throw new UsageError(
    `--type is needed: ${path} ends with none of ${endings[0]} (or these and ${endings[1]}).`,
  )
}

async function sizeOf(path: string): Promise<number> {
  if (isLocation(path)) return gate.run(async () => (await openInputFile(path)).bytes ?? 0).catch(() => 0)
  return path === '-'
    ? 0
    : stat(path).then(
        ({ size }) => size,
        () => 0,
      )
}
