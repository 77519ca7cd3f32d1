import { extname } from 'node:path'
import type { CountName } from '../wire/counts.js'
import type { Format } from '../wire/formats/format.js'
import { countKeys } from '../wire/formats/headers.js'
import { FORMATS } from '../wire/formats/registry.js'
import { type Answer, callEmbeddings } from './call.js'
import type { Call, Command } from './command.js'
import { CommandError, UsageError } from './exit.js'
import { openInput } from './input.js'
import { LocalModels } from './local-models.js'
import { checkOptions, optionFlags, optionQuery, schemeFlags } from './option-flags.js'
import { type Output, openOutput } from './output.js'
import { byteText, Progress, quietFlag, secondsText } from './progress.js'
import { remoteService, serviceFlags } from './service-flags.js'
import { styleFor } from './style.js'
import { visible } from './visible.js'

const names = FORMATS.map(({ name }) => name)

/** `inlet embed`: a text of any size to tensors in a file. */
export const embed: Command = {
  name: 'embed',
  summary: 'Makes input embeddings of a text, by a service or, without --url, in this process.',
  usage: 'embed [FILE] [flags]',
  examples: [
    'inlet embed book.txt --context-length 256 --stride 128 -o book.safetensors',
    'inlet embed book.txt --outputs input_ids -o ids.npy --url http://localhost:8000',
    'zcat corpus.gz | inlet embed - --context-length 1024 --dtype bfloat16 -o corpus.safetensors',
    'inlet embed book.txt --position-embedding rope --position-embedding.head-dim 128 -o book.safetensors',
  ],
  flagGroups: [
    {
      title: 'Where from, where to',
      flags: [
        {
          name: 'output',
          short: 'o',
          value: 'FILE',
          doc: 'Default: stdout, which - also names. A file appears only when it is complete.',
        },
        {
          name: 'format',
          short: 'f',
          value: 'NAME',
          doc: `One of ${names.join(', ')}. Default: by the ending of the output file (.bin is raw), json on stdout.`,
        },
        ...serviceFlags,
        quietFlag,
      ],
    },
    { title: 'What to make', flags: optionFlags },
    {
      title: 'Options of the position scheme (docs/positions.md)',
      flags: [
        {
          name: 'position-embedding.OPTION',
          value: 'VALUE',
          doc: 'head-dim, num-heads, scaling.type, …; or all in one JSON object.',
          isPattern: true,
        },
        ...schemeFlags,
      ],
    },
  ],
  maxFiles: 1,
  run: runEmbed,
}

async function runEmbed({ files, values, signal }: Call): Promise<void> {
  const path = values.get('output') ?? '-'
  const format = formatOf(values.get('format'), path)
  const query = optionQuery(values)
  checkOptions(query)
  const remote = remoteService(values)
  const progress = new Progress(process.stderr, styleFor(process.stderr), values.has('quiet'))
  try {
    const input = await openInput(files[0])
    const source = remote ?? (await LocalModels.open())
    const started = performance.now()
    progress.stage('sending', input.bytes)
    const call = {
      ...{ query, format, signal },
      ...{ text: input.stream, bytes: input.bytes },
      sent: (bytes: number) => progress.add(bytes),
    }
    const answer =
      source instanceof LocalModels ? await source.embed(call) : await callEmbeddings(source, call)
    const output = await openOutput(path).catch((error) => {
      answer.destroy()
      throw error
    })
    const received = await receive(answer, output, progress, signal)
    const seconds = (performance.now() - started) / 1000
    progress.end(summary(path, answer, received, seconds))
  } finally {
    progress.end()
  }
}

/** Writes the answer. @throws CommandError where it breaks off or cannot be written; then no file is left */
async function receive(
  answer: Answer,
  output: Output,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  progress.stage('receiving', answer.length)
  let received = 0
  try {
    for await (const chunk of answer.chunks()) {
      await output.write(chunk)
      received += chunk.length
      progress.add(chunk.length)
      signal.throwIfAborted()
    }
    await output.finish()
  } catch (error) {
    await output.discard()
    throw new CommandError(`The answer was not received whole: ${(error as Error).message}`, { cause: error })
  }
  return received
}

function summary(path: string, { headers }: Answer, bytes: number, seconds: number): string {
  const count = (name: CountName, unit: string) => {
    const value = headers[countKeys[name]]
    return value === undefined ? [] : [`${Number(value).toLocaleString('en')} ${unit}`]
  }
  const tokens = Number(headers[countKeys.num_tokens])
  const rate = tokens ? `, ${Math.round(tokens / seconds).toLocaleString('en')} tokens/s` : ''
  const counts = [...count('num_tokens', 'tokens'), ...count('num_windows', 'windows'), byteText(bytes)].join(
    ', ',
  )
  return `${path === '-' ? 'stdout' : visible(path)}: ${counts} in ${secondsText(seconds)}${rate}`
}

/** The format that `--format` names, else that of the file's ending. */
function formatOf(given: string | undefined, path: string): Format {
  if (given !== undefined) {
    const format = FORMATS.find(({ name }) => name === given)
    if (format === undefined)
      throw new UsageError(`--format must be one of ${names.join(', ')}. Given: ${given}`)
    return terminalSafe(format, path)
  }
  if (path === '-') return FORMATS[0]
  const ending = extname(path).slice(1)
  const format = FORMATS.find(({ name }) => name === (ending === 'bin' ? 'raw' : ending))
  if (format !== undefined) return format
  throw new UsageError(
    `--format is needed: ${path} ends with none of ${names.map((name) => `.${name}`).join(', ')}.`,
  )
}

function terminalSafe(format: Format, path: string): Format {
  if (path !== '-' || !process.stdout.isTTY || format.name === 'json') return format
  throw new UsageError(`--output is needed: ${format.name} is nothing for a terminal.`)
}
