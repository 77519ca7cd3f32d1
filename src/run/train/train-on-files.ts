import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { lstat, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { asideName, namesIn, syncFolder, writeSynced } from '../../files/aside.js'
import type { TrainingOptions } from '../../first-layer/options/training.js'
import { packageFile, packageVersion } from '../../first-layer/package-file.js'
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
import { type CountedInput, countInput } from './count-input.js'
import type { CountData, CountMessage } from './count-thread.js'

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
  readonly inputs: readonly CountedInput[]
  readonly documents: 'one' | 'lines'
  readonly textColumn: string
}

/**
 * Trains a tokenizer on files as `inlet run` reads them. Counts add up exactly: the result does not depend on threads.
 *
 * @throws Error naming the input; InletError `invalid_request` for options; the signal's reason
 */
export async function trainOnFiles(run: TrainingRun): Promise<TrainedOnFiles> {
  const { options, signal } = run
  const counter = new PieceCounter(cuttingFor(options))
  const isAlone = run.threads === 1 || run.inputs.length === 1 || run.inputs.some(({ path }) => path === '-')
  const stopped = once(signal, 'abort').then(() => Promise.reject(signal.reason)) // also while a pipe says nothing
  const inputs = await Promise.race([(isAlone ? countHere : countInThreads)(run, counter), stopped])
  const trainer = new Trainer(options, counter.take())
  const trained = await mergeAll(trainer, () => {
    run.merged(trainer.numMerges, trainer.mostMerges)
    return turn(signal)
  })
  return { ...trained, inputs, documents: run.documents, textColumn: run.textColumn }
}

async function turn(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  signal.throwIfAborted()
}

async function countHere(run: TrainingRun, counter: PieceCounter): Promise<CountedInput[]> {
  const inputs: CountedInput[] = []
  for (const shard of run.inputs)
    inputs.push(await countInput(shard, run, counter, run.read, () => turn(run.signal)))
  return inputs
}

/** Counts one input a thread at a time, the largest first. */
async function countInThreads(run: TrainingRun, counter: PieceCounter): Promise<CountedInput[]> {
  const { documents, textColumn, signal } = run
  const waiting = [...run.inputs].sort((a, b) => b.bytes - a.bytes)
  const workerData: CountData = { cutting: cuttingFor(run.options), recipe: { documents, textColumn } }
  const ended = new Map<string, CountedInput>()
  const workers = Array.from(
    { length: Math.min(run.threads, waiting.length) },
    () => new Worker(packageFile('dist/count-thread.js'), { workerData }),
  )
  const stop = () => Promise.all(workers.map((worker) => worker.terminate()))
  signal.addEventListener('abort', stop)
  const count = (worker: Worker) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const shard = waiting.shift()
        if (shard === undefined) resolve()
        else worker.postMessage(shard)
      }
      worker.on('error', reject).on('exit', () => reject(signal.reason))
      worker.on('message', (message: CountMessage) => {
        if ('read' in message) return run.read(message.read)
        if ('error' in message) return reject(new Error(message.error))
        counter.add(message.pieces)
        ended.set(message.input.path, message.input)
        next()
      })
      next()
    })
  try {
    await Promise.all(workers.map(count))
    return run.inputs.map(({ path }) => ended.get(path)!)
  } finally {
    signal.removeEventListener('abort', stop)
    await stop()
  }
}

/** @throws Error where the folder holds files, is none, or cannot be made below what is there */
export async function checkEmpty(folder: string): Promise<void> {
  const refuse = (given: string) => {
    throw new Error(`must be a folder that is empty or not there. Given: ${folder}, ${given}`)
  }
  const path = resolve(folder)
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory() === false) refuse('which is a file or a link')
  const [name] = await namesIn(path)
  if (name !== undefined) refuse(`which has ${name}`)
  let above = dirname(path)
  while (!existsSync(above)) above = dirname(above)
  if (!statSync(above).isDirectory()) refuse(`and ${above} is a file`)
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
  const { options, documents, textColumn } = trained
  const given = Object.entries({ ...options, documents, text_column: textColumn }).map(
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
