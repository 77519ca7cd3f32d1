import { readlink, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { FrameFields } from '../corpus/dataset-card.js'
import { usableCores } from '../first-layer/running/usable-cores.js'
import { WorkQueue } from '../first-layer/running/wait.js'
import { isLocation, LOCATION_RULE, parseLocation } from '../run/objects/location.js'
import { type FoundInput, inputsBelow, openInputFile } from '../run/read/input.js'
import { VALIDATION } from '../run/recipe.js'
import type { ShardRecord } from '../run/record.js'
import { runShards } from '../run/run-shards.js'
import type { DoneShard } from '../run/run-thread.js'
import {
  INPUT_ENDINGS,
  type InputKind,
  inputKind,
  inputsOf,
  PACKED_ENDINGS,
  type Shard,
  shareOf,
} from '../run/shard.js'
import { type Ended, RecipeRefused } from '../run/threads.js'
import { openInput } from './files.js'
import { type Call, type Command, failing, flagsIn, PartlyFailed, UsageError } from './program.js'
import { embeddingFlags, fieldsNamed, recipeFlags, runSetup } from './run-recipe.js'
import {
  byteText,
  countText,
  frameText,
  numberText,
  Progress,
  quietFlag,
  secondsText,
  visible,
} from './terminal.js'

const MAX_THREADS = 1024
const NAMED = 20

/** `inlet run`: many files, each to one output, each once. */
export const run: Command = {
  name: 'run',
  summary:
    'Tokenizes many files, each to an output of its own, on all cores. What is done is not done again (docs/scale.md). IN and OUT may be s3://BUCKET/KEY. IN that ends with / is all files below it.',
  takes: '<IN… OUT...>',
  examples: [
    'inlet run corpus/*.jsonl.gz out --document-end endoftext',
    'inlet run --files-from list.txt out --to bin --encoding o200k_base --shard 0/8',
    'zcat corpus.gz | inlet run - out --type txt --documents lines',
  ],
  flags: {
    'Where from, where to, who': flagsIn({
      '--files-from <FILE>':
        'A list of more inputs, one path a line, in a file or s3://BUCKET/KEY; - is stdin.',
      '--type <TYPE>':
        'txt, ndjson (a line {"text"} or {"input_ids"}) or parquet (a column of them), and .gz, .br or .zst behind the first two for what is packed. Default: by each file’s ending.',
      '--shard <I/N>':
        'Makes every N-th input alone, from the I-th on, which counts from 0. Default: INLET_SHARD, Slurm’s array, Kubernetes’ indexed Job with INLET_SHARDS; else all.',
      '--threads <N>': 'One shard a thread at a time. Default: as many as cores.',
      '--json': 'A JSON line a shard on stdout, as always where that is no terminal.',
      ...quietFlag,
    }),
    'What to make': recipeFlags,
    'Embeddings, as inlet embed makes them': embeddingFlags,
  },
  run: runRun,
}

async function runRun({ files, values, signal }: Call): Promise<void> {
  const out = await folder(files.at(-1))
  const threads = threadsOf(values.get('threads'))
  const { numAll, shards } = await inputsFrom(files.slice(0, -1), out, values, signal)
  const setup = await runSetup(values, threads)
  using progress = new Progress(values)
  const failed = new Set<string>()
  const sums = { kept: 0, tokens: 0, held: 0, bytes: 0, chats: 0, refused: 0 }
  let frame: Partial<FrameFields> = {}
  const isJson = values.has('json') || !process.stdout.isTTY
  progress.stage('running', shards.reduce((sum, { bytes }) => sum + bytes, 0) || undefined)
  await runShards({
    ...{ ...setup, out, shards, threads, signal },
    read: (bytes) => progress.add(bytes),
    ended(given) {
      const ended = 'error' in given ? { ...given, error: fieldsNamed(given.error) } : given
      if ('error' in ended) {
        failed.add(ended.shard.path)
        progress.write(`${visible(ended.shard.path)}: ${visible(ended.error)}`)
      } else {
        frame = ended.record
        sums.kept += Number(ended.isKept)
        sums.tokens += ended.record.tokens
        sums.bytes += ended.record.bytes
        sums.chats += ended.record.chats?.num_chats ?? 0
        sums.refused += ended.record.chats?.num_refused ?? 0
        sums.held += ended.validation?.tokens ?? 0
        if (!isJson)
          progress.write(visible(`${ended.shard.path}: ${outputPath(out, ended.record) ?? 'no documents'}`))
      }
      if (isJson) process.stdout.write(`${JSON.stringify(lineOf(ended, out))}\n`)
    },
  }).catch((cause) => {
    throw cause instanceof RecipeRefused ? new UsageError(fieldsNamed(cause.message), { cause }) : cause
  })
  const chats = sums.chats === 0 ? '' : `, ${countText(sums.chats, 'chat')}, ${sums.refused} refused,`
  const of = shards.length === numAll ? '' : ` of ${numAll}`
  progress.write(
    `${shards.length}${of} shard${numAll === 1 ? '' : 's'}: ${shards.length - sums.kept - failed.size} done, ${sums.kept} kept, ${failed.size} failed; ` +
      `${countText(sums.tokens, 'token')}${values.has('validation') ? `, and ${numberText(sums.held)} for validation,` : ''}${chats} of ${byteText(sums.bytes)} in ${secondsText(progress.seconds)}${frameText(frame)}`,
  )
  if (failed.size === 0) return
  const named = shards.map(({ path }) => path).filter((path) => failed.has(path))
  const more = named.length > NAMED ? `, and ${named.length - NAMED} more` : ''
  const names = `${named.slice(0, NAMED).join(', ')}${more}`
  throw new PartlyFailed(`${named.length} of ${countText(shards.length, 'shard')} failed: ${names}`)
}

function outputPath(out: string, { output }: ShardRecord): string | null {
  if (output === null) return null
  return isLocation(out) ? `${out}/${output}` : join(out, output)
}

/** What has become of a shard, for machines. */
function lineOf(ended: Ended<DoneShard>, out: string): object {
  const { path: input } = ended.shard
  const seconds = Number(ended.seconds.toFixed(3))
  if ('error' in ended) return { input, state: 'failed', error: ended.error, seconds }
  const { validation } = ended
  const of = validation && { documents: validation.documents, tokens: validation.tokens }
  const held = validation && { output: outputPath(`${out}/${VALIDATION}`, validation), ...of }
  const { sha256, input_sha256, documents, tokens, bytes, output_bytes, chats } = ended.record
  const [state, output] = [ended.isKept ? 'kept' : 'done', outputPath(out, ended.record)]
  const own = { input, state, output, sha256, output_bytes, input_sha256, documents, tokens, bytes, chats }
  return { ...own, validation: held, seconds }
}

/** The last name of the command line: the folder for outputs. */
async function folder(path: string | undefined): Promise<string> {
  const usage = (rule: string) => new UsageError(`inlet run IN… OUT: ${rule}`)
  if (path === undefined || path === '-') throw usage('the folder OUT is needed.')
  if (isLocation(path)) {
    if (parseLocation(path) !== undefined) return path.replace(/\/+$/, '')
    throw usage(`OUT must be a folder, or ${LOCATION_RULE}. Given: ${path}`)
  }
  const there = await stat(path).catch(() => undefined)
  const link = there === undefined && (await readlink(path).catch(() => undefined))
  if (link) throw usage(`OUT must be a folder. Given: ${path}, a link to ${link}, which is not there`)
  if (there === undefined || there.isDirectory()) return path
  throw usage(`OUT must be a folder, the last of all names. Given: ${path}, a file`)
}

export function threadsOf(given: string | undefined): number {
  if (given === undefined) return usableCores()
  const threads = /^\d+$/.test(given) ? Number(given) : 0
  if (threads >= 1 && threads <= MAX_THREADS) return threads
  throw new UsageError(`--threads must be an integer from 1 to ${MAX_THREADS}. Given: ${given}`)
}

const sizes = new WorkQueue(16)

/**
 * The shards that this worker is to make, and the number of all inputs. A file that is missing fails as a shard, beside
 * the others.
 *
 * @param out where outputs go, if there are any: no folder of inputs may contain it
 * @throws CommandError for a folder or a list that cannot be read, UsageError for no input, for one whose ending tells
 * nothing, and for a wrong share
 */
export async function inputsFrom(
  paths: readonly string[],
  out: string | undefined,
  values: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<{ readonly numAll: number; readonly shards: readonly Shard[] }> {
  const list = values.get('files-from')
  const named = list === undefined ? paths : [...paths, ...(await linesOf(list, '--files-from', signal))]
  if (named.length === 0) throw new UsageError('an input is needed: a file, or - for stdin.')
  const type = values.get('type')
  if (type !== undefined && inputKind(type) === undefined) {
    const known = `${INPUT_ENDINGS.join(', ')}, or these and .gz`
    throw new UsageError(`--type must be one of ${known}. Given: ${type}`)
  }
  const all = new Map<string, number | undefined>() // with their sizes, if these are known
  for (const path of named) {
    if (!path.endsWith('/')) {
      all.set(path, all.get(path))
      continue
    }
    if (out !== undefined && isBelow(out, path))
      throw new UsageError(`OUT must not lie below a folder of inputs, ${path}. Given: ${out}`)
    for (const { path: each, bytes } of await inputsIn(path, type, signal)) all.set(each, bytes)
  }
  const own = inputsOf([...all.keys()], shareNamed(values.get('shard')))
  const shards = own.map(async (path) => {
    const kind = kindOf(path, type)
    return { path, ...kind, bytes: all.get(path) ?? (await sizeOf(path)) }
  })
  return { numAll: all.size, shards: await Promise.all(shards) }
}

/** The inputs below a folder or a prefix of a bucket: with a type all files, else those with a known ending. */
async function inputsIn(
  folder: string,
  type: string | undefined,
  signal: AbortSignal,
): Promise<FoundInput[]> {
  const below = await inputsBelow(folder, signal).catch(failing(`${folder} cannot be read`))
  const found = below.filter(({ path }) => type !== undefined || inputKind(path) !== undefined)
  if (found.length > 0) return found
  const given = below.length === 0 ? 'none' : `${below.length} files with other endings, as ${below[0].path}`
  throw new UsageError(`${folder} must have a file that ends with ${KNOWN_ENDINGS}. Given: ${given}`)
}

/** Whether outputs would be inputs of the next run. */
function isBelow(out: string, folder: string): boolean {
  if (isLocation(out) !== isLocation(folder)) return false
  const whole = (path: string) => `${isLocation(path) ? path.replace(/\/+$/, '') : resolve(path)}/`
  return whole(out).startsWith(whole(folder))
}

function shareNamed(given: string | undefined) {
  try {
    return shareOf(given, process.env)
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
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
  if (path === '-') return 0
  const size = isLocation(path)
    ? sizes.run(async () => (await openInputFile(path)).bytes ?? 0)
    : stat(path).then((file) => file.size)
  return size.catch(() => 0)
}

/**
 * The lines of a list, a file or an object of a bucket, that are not blank, without blanks around them; `-` is standard input, which may be silent
 * until the signal. @param flag that names the list, for messages
 */
export async function linesOf(path: string, flag: string, signal: AbortSignal): Promise<string[]> {
  const read = openInput(path).then(({ stream }) => text(addAbortSignal(signal, stream)))
  const list = await read.catch(failing(`${flag} ${path}`))
  return list.split('\n').flatMap((line) => line.trim() || [])
}
