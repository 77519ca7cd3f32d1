import { join } from 'node:path'
import { trainingOptions } from '../first-layer/options/training.js'
import { checkTraining } from '../first-layer/tokens/training/trainer.js'
import { checkEmpty, trainOnFiles, writeTrained } from '../run/train/train-on-files.js'
import { FieldFlags } from './field-flags.js'
import { type Call, type Command, flagsIn, oneOf, UsageError } from './program.js'
import { inputsFrom, threadsOf } from './run.js'
import { byteText, numberText, Progress, quietFlag, secondsText, visible } from './terminal.js'

const FORMATS = ['tokenizer.json', 'tiktoken'] as const

const flags = new FieldFlags(trainingOptions)

/** `inlet train-tokenizer`: raw text → a vocabulary. */
export const trainTokenizer: Command = {
  name: 'train-tokenizer',
  summary:
    'Makes a byte-level BPE tokenizer of texts, merge for merge as Hugging Face’s trainer does. Its folder is served at once (docs/train-tokenizer.md).',
  takes: '<FILES...>',
  examples: [
    'inlet train-tokenizer corpus/*.txt --vocab-size 32768 -o models/mine',
    'inlet train-tokenizer corpus.jsonl.gz --vocab-size 65536 --pattern gpt4o -o models/mine',
  ],
  flags: {
    'Where from, where to': flagsIn({
      '-o, --output <DIR>': 'The folder to make: a name that is free, or an empty folder.',
      '--format <FORMAT>':
        'tiktoken writes tokenizer.tiktoken beside tokenizer.json. Default: tokenizer.json.',
      '--files-from <FILE>': 'A list of more inputs, one path a line; - is stdin.',
      '--type <TYPE>':
        'As of inlet run: txt, ndjson, parquet, and what packs them. Default: by each file’s ending.',
      '--documents <UNIT>': 'Of plain text: one a file, or lines. Default: one.',
      '--text-column <NAME>': 'The member of a JSON line, or the column, that has the text. Default: text.',
      '--threads <N>': 'They count pieces; the result does not depend on them. Default: as many as cores.',
      ...quietFlag,
    }),
    Training: flags.flags,
  },
  named: (message) => flags.named(message),
  run,
}

async function run({ files, values, signal }: Call): Promise<void> {
  const out = values.get('output')
  if (out === undefined) throw new UsageError('--output is needed: the folder to make.')
  const format = oneOf('format', FORMATS, values.get('format') ?? 'tokenizer.json')
  const documents = oneOf('documents', ['one', 'lines'], values.get('documents') ?? 'one')
  const options = flags.read(values, checkTraining)
  await checkEmpty(out).catch((cause) => {
    throw new UsageError(`--output ${cause.message}`, { cause })
  })
  // All of them, whatever share of a job the variables of the environment name: a tokenizer is one output.
  const { shards } = await inputsFrom(files, undefined, new Map(values).set('shard', '0/1'), signal)
  using progress = new Progress(values)
  progress.stage('reading', shards.reduce((sum, { bytes }) => sum + bytes, 0) || undefined)
  let isMerging = false
  const trained = await trainOnFiles({
    ...{ options, inputs: shards, documents },
    text_column: values.get('text-column') ?? 'text',
    threads: threadsOf(values.get('threads')),
    signal,
    read: (bytes) => progress.add(bytes),
    merged(count, ofMost) {
      if (!isMerging) progress.stage('merging', ofMost, (merges) => `${numberText(merges)} merges`)
      isMerging = true
      progress.reach(count)
    },
  })
  signal.throwIfAborted()
  await writeTrained(out, trained, format === 'tiktoken')
  const bytes = trained.inputs.reduce((sum, input) => sum + input.bytes, 0)
  const size = trained.vocabulary.length
  if (size < options.vocab_size)
    progress.write(
      `${numberText(size)} of ${numberText(options.vocab_size)} tokens: the text has no more pairs that may be merged.`,
    )
  const made = `${join(out, 'tokenizer.json')}: ${numberText(size)} tokens of ${byteText(bytes)}`
  progress.write(visible(`${made} in ${secondsText(progress.seconds)}`))
}
