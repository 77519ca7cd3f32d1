import { dirname, join, resolve } from 'node:path'
import { Hub, hubSettings, PassingError, pause } from '../checkpoints/hub/hub.js'
import { type Pulled, pull as pullModel, type WeightSizes } from '../checkpoints/hub/pull.js'
import { parseRepository, type Repository } from '../checkpoints/hub-cache.js'
import { InletError } from '../first-layer/errors.js'
import { MODELS_FOLDER } from '../models/model-folders.js'
import { type Call, type Command, CommandError, flagsIn, UsageError } from './program.js'
import { parseTimeout } from './service.js'
import { byteText, Progress, quietFlag, secondsText, shareText, visible } from './terminal.js'

const TIMEOUT_SECONDS = '60'
/** Digits of a commit that people are shown. */
const SHORT_COMMIT = 8

/** `inlet pull`: of a model on a Hub, what its first layer needs. */
export const pull: Command = {
  name: 'pull',
  summary: 'Fetches of a model on the Hugging Face Hub what its first layer needs: GPT-2 is 157 of 548 MB.',
  takes: '<ORG/MODEL[@REVISION]>',
  examples: [
    'inlet pull openai-community/gpt2',
    'inlet pull meta-llama/Llama-3.1-8B@main --into models/llama',
    'inlet pull meta-llama/Llama-3.1-8B --tokenizer-only',
    'HF_ENDPOINT=http://mirror.example inlet pull org/model',
  ],
  flags: {
    Flags: flagsIn({
      '--into <DIR>':
        'The folder that the model gets. Default: MODEL in MODELS_DIR, or in ./models where that is not set. It appears only when it is complete.',
      '--endpoint <URL>': 'Another Hub. Default: HF_ENDPOINT, or https://huggingface.co.',
      '--tokenizer-only': 'Its tokenizer, chat templates and config.json, no weights: ids alone are served.',
      '--force': 'Replaces a pulled folder of another commit or model.',
      '--timeout <SECONDS>': `How long a server may be silent before another attempt. Default: ${TIMEOUT_SECONDS}.`,
      ...quietFlag,
    }),
  },
  run: runPull,
}

async function runPull({ files: [source = ''], values, signal }: Call): Promise<void> {
  const repository = parseRepository(source)
  if (repository === undefined)
    throw new UsageError(`The model must be ORG/MODEL or ORG/MODEL@REVISION. Given: ${source}`)
  const target = values.get('into') ?? join(modelsFolder(), repository.model)
  const timeoutSeconds = parseTimeout(values.get('timeout') ?? TIMEOUT_SECONDS, '--timeout')
  using progress = new Progress(values)
  try {
    const settings = await hubSettings(process.env, timeoutSeconds, values.get('endpoint'))
    const hub = new Hub(settings, signal, (seconds, reason, until) => {
      progress.write(`${visible(reason)} Another attempt in ${secondsText(seconds)}.`)
      return pause(seconds, reason, until)
    })
    const pulled = await pullModel({
      ...{ repository, target, hub, force: values.has('force') },
      tokenizerOnly: values.has('tokenizer-only'),
      planned(weights, commit) {
        const short = commit.slice(0, SHORT_COMMIT)
        progress.write(`${repository.name}@${short}: ${sizeText(weights)} of weights are needed`)
        progress.stage('pulling', weights.bytes)
      },
      received: (bytes) => progress.add(bytes),
    })
    progress.write(summary(visible(target), pulled, progress.seconds))
    progress.write(`Next: ${visible(serveCommand(target, repository))}`)
    process.stdout.write(`${target}\n`)
  } catch (error) {
    throw signal.aborted ? error : told(error as Error, repository)
  }
}

/** The folder that `serve` and `models` read too. */
function modelsFolder(): string {
  return process.env.MODELS_DIR || MODELS_FOLDER
}

function serveCommand(target: string, { name }: Repository): string {
  const isFound = resolve(dirname(target)) === resolve(modelsFolder())
  return isFound ? 'inlet serve' : `MODELS=${name}=${target} inlet serve`
}

function summary(target: string, { commit, weights, isNew }: Pulled, seconds: number): string {
  const short = commit.slice(0, SHORT_COMMIT)
  if (!isNew) return `${target}: commit ${short} is there already`
  if (weights === undefined) return `${target}: the tokenizer, commit ${short}`
  return `${target}: ${sizeText(weights)} in ${secondsText(seconds)}, commit ${short}`
}

function sizeText({ bytes, totalBytes }: WeightSizes): string {
  return totalBytes === undefined ? byteText(bytes) : shareText(bytes, totalBytes)
}

/** A failure with what the user can do. */
function told(error: Error, { name }: Repository): Error {
  const { message } = error
  if (error instanceof PassingError && process.env.HF_ENDPOINT === undefined)
    return new CommandError(`${message.replace(/\.?$/, '.')} HF_ENDPOINT names another Hub, as a mirror.`)
  return error instanceof InletError ? new CommandError(`${name}: ${message}`, { cause: error }) : error
}
