import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isLocation, LOCATION_RULE, parseLocation } from '../run/objects/location.js'
import type { ShardRecord } from '../run/record.js'
import { type EndedShard, RecipeRefused, runShards } from '../run/run-shards.js'
import { usableCores } from '../service/threads/thread-count.js'
import { PartlyFailed, UsageError } from './exit.js'
import type { Call, Command } from './program.js'
import { byteText, numberText, Progress, quietFlag, secondsText } from './progress.js'
import { inputsFrom } from './run-inputs.js'
import { embeddingFlags, fieldsNamed, recipeFlags, runSetup } from './run-recipe.js'
import { visible } from './visible.js'

/** Most threads that one may ask for. */
const MAX_THREADS = 1024
/** Most shards that the last message names. */
const NAMED = 20

/** `inlet run`: many files to outputs of their own, each once. */
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
    'Where from, where to, who': [
      {
        name: 'files-from',
        value: 'FILE',
        doc: 'A list of more inputs, one path a line, in a file or s3://BUCKET/KEY; - is stdin.',
      },
      {
        name: 'type',
        value: 'TYPE',
        doc: 'txt, ndjson (a line {"text"} or {"input_ids"}) or parquet (a column of them), and .gz, .br or .zst behind the first two for what is packed. Default: by each file’s ending.',
      },
      {
        name: 'shard',
        value: 'I/N',
        doc: 'Makes every N-th input alone, from the I-th on, which counts from 0. Default: INLET_SHARD, Slurm’s array, Kubernetes’ indexed Job with INLET_SHARDS; else all.',
      },
      { name: 'threads', value: 'N', doc: 'One shard a thread at a time. Default: as many as cores.' },
      { name: 'json', doc: 'A JSON line a shard on stdout, as always where that is no terminal.' },
      quietFlag,
    ],
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
  const progress = new Progress(values.has('quiet'))
  const failed: string[] = []
  const sums = { kept: 0, tokens: 0, bytes: 0 }
  const isJson = values.has('json') || !process.stdout.isTTY
  const started = performance.now()
  progress.stage('running', shards.reduce((sum, { bytes }) => sum + bytes, 0) || undefined)
  try {
    await runShards({
      ...{ ...setup, out, shards, threads, signal },
      read: (bytes) => progress.add(bytes),
      ended(given) {
        const ended = 'error' in given ? { ...given, error: fieldsNamed(given.error) } : given
        if ('error' in ended) {
          failed.push(ended.shard.path)
          progress.write(`${visible(ended.shard.path)}: ${visible(ended.error)}`)
        } else {
          sums.kept += Number(ended.isKept)
          sums.tokens += ended.record.tokens
          sums.bytes += ended.record.bytes
          if (!isJson)
            progress.write(visible(`${ended.shard.path}: ${outputPath(out, ended.record) ?? 'no documents'}`))
        }
        if (isJson) process.stdout.write(`${JSON.stringify(lineOf(ended, out))}\n`)
      },
    })
  } catch (error) {
    throw error instanceof RecipeRefused
      ? new UsageError(fieldsNamed(error.message), { cause: error })
      : error
  } finally {
    progress.end()
  }
  const seconds = (performance.now() - started) / 1000
  const of = shards.length === numAll ? '' : ` of ${numAll}`
  progress.write(
    `${shards.length}${of} shards: ${shards.length - sums.kept - failed.length} done, ${sums.kept} kept, ${failed.length} failed; ` +
      `${numberText(sums.tokens)} tokens of ${byteText(sums.bytes)} in ${secondsText(seconds)}`,
  )
  const named = new Set(failed)
  const inOrder = shards.map(({ path }) => path).filter((path) => named.has(path))
  if (failed.length > 0) throw new PartlyFailed(failedText(inOrder, shards.length))
}

function outputPath(out: string, { output }: ShardRecord): string | null {
  if (output === null) return null
  return isLocation(out) ? `${out}/${output}` : join(out, output)
}

/** What has become of a shard, for machines. */
function lineOf(ended: EndedShard, out: string): object {
  const { path: input } = ended.shard
  const seconds = Number(ended.seconds.toFixed(3))
  if ('error' in ended) return { input, state: 'failed', error: ended.error, seconds }
  const { sha256, input_sha256, documents, tokens, bytes, output_bytes } = ended.record
  const state = ended.isKept ? 'kept' : 'done'
  const made = {
    output: outputPath(out, ended.record),
    sha256,
    output_bytes,
    input_sha256,
    documents,
    tokens,
    bytes,
  }
  return { input, state, ...made, seconds }
}

function failedText(failed: readonly string[], count: number): string {
  const named = failed.slice(0, NAMED).join(', ')
  const more = failed.length > NAMED ? `, and ${failed.length - NAMED} more` : ''
  return `${failed.length} of ${count} shards failed: ${named}${more}`
}

/** The last file name of the command line, which is the folder for outputs. */
async function folder(path: string | undefined): Promise<string> {
  if (path === undefined || path === '-') throw new UsageError('inlet run IN… OUT: the folder OUT is needed.')
  if (isLocation(path)) {
    if (parseLocation(path) !== undefined) return path.replace(/\/+$/, '')
    throw new UsageError(`inlet run IN… OUT: OUT must be a folder, or ${LOCATION_RULE}. Given: ${path}`)
  }
  const there = await stat(path).catch(() => undefined)
  if (there === undefined || there.isDirectory()) return path
  throw new UsageError(
    `inlet run IN… OUT: OUT must be a folder, the last of all names. Given: ${path}, a file`,
  )
}

function threadsOf(given: string | undefined): number {
  if (given === undefined) return usableCores()
  const threads = /^\d+$/.test(given) ? Number(given) : 0
  if (threads >= 1 && threads <= MAX_THREADS) return threads
  throw new UsageError(`--threads must be an integer from 1 to ${MAX_THREADS}. Given: ${given}`)
}
