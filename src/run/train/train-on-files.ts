import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { asideName, namesIn, syncFolder, writeSynced } from '../../files/aside.js'
import { packageVersion } from '../../first-layer/package-file.js'
import type { TrainingOptions } from '../../first-layer/tokens/training/options.js'
import {
  tiktokenFile,
  tokenizerConfig,
  tokenizerJson,
} from '../../first-layer/tokens/training/trained-files.js'
import { cuttingFor, type TrainedTokens, Trainer } from '../../first-layer/tokens/training/trainer.js'
import { readDocuments } from '../read/read-documents.js'
import type { OpenTokenizer, Recipe } from '../recipe.js'
import type { Shard } from '../shard.js'
import { BYTES } from './byte-tokenizer.js'
import { DocumentCounter } from './count-documents.js'

/** Merges between two turns of the event loop. */
const MERGES = 64
/** From here on the trainers that this one follows count wrong. */
const COUNT_LIMIT = 2 ** 31

export interface TrainingRun {
  readonly options: TrainingOptions
  readonly inputs: readonly Shard[]
  /** Documents of plain text: the whole file, or each line that is not empty. */
  readonly documents: 'one' | 'lines'
  readonly textColumn: string
  readonly threads: number
  readonly signal: AbortSignal
  /** Called with the bytes of each read, and after some merges with how many there are, of at most how many. */
  read(bytes: number): void
  merged(count: number, most: number): void
}

export interface TrainedOnFiles extends TrainedTokens {
  readonly inputs: readonly TrainedInput[]
}

interface TrainedInput {
  readonly path: string
  /** As it is stored. */
  readonly bytes: number
  readonly sha256: string
}

/**
 * Trains a tokenizer on files as `inlet run` reads them.
 *
 * @throws Error naming the input; InletError `invalid_request` for options; the signal's reason
 */
export async function trainOnFiles(run: TrainingRun): Promise<TrainedOnFiles> {
  const { options, signal } = run
  const counter = new DocumentCounter(cuttingFor(options), run.threads)
  try {
    const inputs: TrainedInput[] = []
    for (const shard of run.inputs) inputs.push(await countInput(shard, counter, run))
    const trainer = new Trainer(options, await counter.finish())
    while (trainer.step()) {
      if (trainer.numMerges % MERGES > 0) continue
      run.merged(trainer.numMerges, trainer.mostMerges)
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
    }
    return { ...trainer.finish(), inputs }
  } finally {
    await counter.stop()
  }
}

async function countInput(shard: Shard, counter: DocumentCounter, run: TrainingRun): Promise<TrainedInput> {
  const { documents, textColumn, signal } = run
  const recipe = { documents, textColumn } as Recipe
  const made = { tokenizer: BYTES, allowedSpecial: new Set(), idLimit: 0 } as unknown as OpenTokenizer
  const sink = {
    write(bytes: Int32Array, ends: Int32Array) {
      signal.throwIfAborted()
      return counter.write(bytes, ends)
    },
  }
  try {
    const { bytes, sha256 } = await readDocuments(shard, recipe, made, sink, run.read)
    return { path: shard.path, bytes, sha256 }
  } catch (error) {
    if (signal.aborted) throw error
    throw new Error(`${shard.path}: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws Error where the folder holds files */
export async function checkEmpty(folder: string): Promise<void> {
  const [name] = await namesIn(folder)
  if (name !== undefined)
    throw new Error(`must be a folder that is empty or not there. Given: ${folder}, which has ${name}`)
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
    await rename(aside, folder)
    await syncFolder(parent)
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}

function readme({ options, vocabulary, merges, inputs, mostFrequent }: TrainedOnFiles): string {
  const given = Object.entries(options).map(([name, value]) => `\`${name}\` ${JSON.stringify(value)}`)
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
