import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { asideName, syncFolder, writeSynced } from '../../files/aside.js'
import type { TrainingOptions } from '../../first-layer/options/training.js'
import { packageVersion } from '../../first-layer/package-file.js'
import { PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import {
  tiktokenFile,
  tokenizerConfig,
  tokenizerJson,
} from '../../first-layer/tokens/training/trained-files.js'
import {
  cuttingFor,
  mergeAll,
  type TrainedTokens,
  Trainer,
} from '../../first-layer/tokens/training/trainer.js'
import type { Shard } from '../shard.js'
import { inThreads } from '../threads.js'
import type { CountData, CountedInput, CountedShard } from './count-thread.js'

/** From here on the trainers that this one follows count wrong. */
const COUNT_LIMIT = 2 ** 31

export interface TrainingRun {
  readonly options: TrainingOptions
  readonly inputs: readonly Shard[]
  /** Documents of plain text: the whole file, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
  readonly text_column: string
  readonly threads: number
  readonly signal: AbortSignal
  /** Called with the bytes of each read, and after some merges with how many there are, of at most how many. */
  read(bytes: number): void
  merged(count: number, most: number): void
}

export interface TrainedOnFiles extends TrainedTokens {
  readonly inputs: readonly CountedInput[]
  readonly documents: 'one' | 'lines'
  readonly text_column: string
}

/**
 * Trains a tokenizer on files as `inlet run` reads them. Counts add up exactly: the result does not depend on threads.
 *
 * @throws Error naming the input; InletError `invalid_request` for options; the signal's reason
 */
export async function trainOnFiles(run: TrainingRun): Promise<TrainedOnFiles> {
  const { options, documents, text_column, threads, signal, read } = run
  const cutting = cuttingFor(options)
  const counter = new PieceCounter(cutting)
  const counted = new Map<string, CountedInput>()
  const failed = new AbortController()
  const data: CountData = { cutting, recipe: { documents, text_column } }
  await inThreads<CountedShard>({
    ...{ file: 'count-thread.js', data, shards: run.inputs, threads, read },
    signal: AbortSignal.any([signal, failed.signal]),
    ended(shard) {
      if ('error' in shard) return failed.abort(new Error(shard.error))
      counter.add(shard.pieces)
      counted.set(shard.input.path, shard.input)
    },
  })
  AbortSignal.any([signal, failed.signal]).throwIfAborted()
  const trainer = new Trainer(options, counter.take())
  const trained = await mergeAll(trainer, async () => {
    run.merged(trainer.numMerges, trainer.mostMerges)
    await new Promise((resolve) => setImmediate(resolve))
    signal.throwIfAborted()
  })
  const inputs = run.inputs.map(({ path }) => counted.get(path)!)
  return { ...trained, inputs, documents, text_column }
}

/** @throws Error where the folder holds files, is none, or cannot be made below what is there */
export async function checkEmpty(folder: string): Promise<void> {
  const [found] = await readdir(folder).catch(({ code }): string[] => (code === 'ENOENT' ? [] : [code]))
  if (found !== undefined)
    throw new Error(`must be a folder that is empty or not there. Given: ${folder}, with ${found}`)
}

/** Writes the folder of a tokenizer: all of its files, or nothing. */
export async function writeTrained(
  folder: string,
  trained: TrainedOnFiles,
  isForTiktoken: boolean,
): Promise<void> {
  const parent = dirname(resolve(folder))
  const aside = join(parent, asideName())
  const files = {
    'tokenizer.json': `${JSON.stringify(tokenizerJson(trained), null, 2)}\n`,
    'tokenizer_config.json': `${JSON.stringify(tokenizerConfig(trained), null, 2)}\n`,
    'README.md': readme(trained),
    ...(isForTiktoken && { 'tokenizer.tiktoken': tiktokenFile(trained) }),
  }
  await mkdir(aside, { recursive: true })
  try {
    for (const [name, text] of Object.entries(files))
      await writeSynced(join(aside, name), [Buffer.from(text)])
    await checkEmpty(folder)
    await syncFolder(aside)
    await rename(aside, resolve(folder))
    await syncFolder(parent)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

function readme({ vocabulary, merges, inputs, mostFrequent, ...trained }: TrainedOnFiles): string {
  const { options, documents, text_column } = trained
  const given = Object.entries({ ...options, documents, text_column }).map(
    ([name, value]) => `\`${name}\` ${JSON.stringify(value)}`,
  )
  const lines = [
    '# A byte-level BPE tokenizer',
    `${vocabulary.length} tokens, ${merges.length} merges; made by Inlet ${packageVersion()}, \`inlet train-tokenizer\`.`,
    `Options: ${given.join(', ')}.`,
    `Trained on, in this order:\n\n| input | bytes | sha256 |\n|---|---|---|\n${inputs.map(({ path, bytes, sha256 }) => `| ${path.replaceAll('|', '\\|')} | ${bytes} | ${sha256} |`).join('\n')}`,
  ]
  if (mostFrequent >= COUNT_LIMIT)
    lines.push(
      `A pair came ${mostFrequent} times: Hugging Face's trainer and rustbpe lose counts from 2^31 on, and would give other merges.`,
    )
  return `${lines.join('\n\n')}\n`
}
