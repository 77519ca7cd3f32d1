import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WorkQueue } from '../first-layer/work/work-queue.js'
import { isLocation } from '../run/objects/location.js'
import { openInputFile } from '../run/read/input-file.js'
import { type FoundInput, inputsBelow, isFolderName } from '../run/read/inputs-below.js'
import { INPUT_ENDINGS, type InputKind, inputKind, PACKED_ENDINGS, type Shard } from '../run/shard.js'
import { inputsOf, ShareError, shareOf } from '../run/share.js'
import { CommandError, UsageError } from './exit.js'

/** So many objects are asked for their size at the same time. */
const sizes = new WorkQueue(16)

/** The inputs of a command line, all of them and this worker's. */
export interface Inputs {
  readonly numAll: number
  readonly shards: readonly Shard[]
}

/**
 * The shards that this worker is to make. A file that is not there fails as a shard, beside the others.
 *
 * @param out where outputs go: no folder of inputs may have it
 * @throws CommandError for a folder or a list that cannot be read, UsageError for no input, for one whose ending tells nothing, and for a wrong share
 */
export async function inputsFrom(
  paths: readonly string[],
  out: string,
  values: ReadonlyMap<string, string>,
  signal: AbortSignal,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Inputs> {
  const list = values.get('files-from')
  const named = list === undefined ? paths : [...paths, ...(await linesOf(list, '--files-from', signal))]
  if (named.length === 0) throw new UsageError('inlet run: an input is needed before OUT, or - for stdin.')
  const type = values.get('type')
  if (type !== undefined && inputKind(type) === undefined)
    throw new UsageError(
      `--type must be one of ${INPUT_ENDINGS.join(', ')}, or these and .gz. Given: ${type}`,
    )
  const sizes = new Map<string, number>()
  const all: string[] = []
  for (const path of named) {
    const isFolder = isFolderName(path)
    if (isFolder && isBelow(out, path))
      throw new UsageError(`OUT must not lie below a folder of inputs, ${path}. Given: ${out}`)
    const found = isFolder ? await inputsIn(path, type, signal) : [{ path, bytes: undefined }]
    for (const { path: each, bytes } of found) {
      all.push(each)
      if (bytes !== undefined) sizes.set(each, bytes)
    }
  }
  const own = inputsOf(all, share(values.get('shard'), env))
  const shards = own.map(async (path) => ({
    path,
    ...kindOf(path, type),
    bytes: sizes.get(path) ?? (await sizeOf(path)),
  }))
  return { numAll: new Set(all).size, shards: await Promise.all(shards) }
}

/** What a folder, or a prefix of a bucket, has for a run: with a type all files, else those whose endings tell what they hold. */
async function inputsIn(
  folder: string,
  type: string | undefined,
  signal: AbortSignal,
): Promise<FoundInput[]> {
  const below = await inputsBelow(folder, signal).catch((error) => {
    if (signal.aborted) throw error
    throw new CommandError(`${folder} cannot be read: ${(error as Error).message}`, { cause: error })
  })
  const found = below.filter(({ path }) => type !== undefined || inputKind(path) !== undefined)
  if (found.length > 0) return found
  const given = below.length === 0 ? 'none' : `${below.length} files with other endings, as ${below[0]!.path}`
  throw new UsageError(`${folder} must have a file that ends with ${KNOWN_ENDINGS}. Given: ${given}`)
}

/** Whether outputs would be inputs of the next run. */
function isBelow(out: string, folder: string): boolean {
  if (isLocation(out) !== isLocation(folder)) return false
  const whole = (path: string) => `${isLocation(path) ? path.replace(/\/+$/, '') : resolve(path)}/`
  return whole(out).startsWith(whole(folder))
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
  throw new UsageError(`--type is needed: ${path} ends with none of ${KNOWN_ENDINGS}.`)
}

const [ENDINGS, PACKED] = [INPUT_ENDINGS, PACKED_ENDINGS].map((each) =>
  each.map((name) => `.${name}`).join(', '),
)
const KNOWN_ENDINGS = `${ENDINGS} (or these and ${PACKED})`

async function sizeOf(path: string): Promise<number> {
  if (isLocation(path)) return sizes.run(async () => (await openInputFile(path)).bytes ?? 0).catch(() => 0)
  return path === '-'
    ? 0
    : stat(path).then(
        ({ size }) => size,
        () => 0,
      )
}

/**
 * The lines of a list, a file or an object of a bucket, that are not empty; `-` is standard input, which may be silent until the signal.
 *
 * @param flag that names the list, for messages
 */
export async function linesOf(path: string, flag: string, signal: AbortSignal): Promise<string[]> {
  try {
    const file = path === '-' ? undefined : await openInputFile(path)
    const stream = file === undefined ? process.stdin : Readable.from(file.blocks())
    const list = await text(addAbortSignal(signal, stream)).finally(() => file?.close())
    return list.split(/\r?\n/).filter((line) => line !== '')
  } catch (error) {
    throw new CommandError(`${flag} ${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
