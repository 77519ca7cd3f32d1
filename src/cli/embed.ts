import { extname } from 'node:path'
import type { CountName } from '../first-layer/answer.js'
import { InletError } from '../first-layer/errors.js'
import { fieldsOf } from '../first-layer/options/fields.js'
import { queryReader } from '../first-layer/options/query.js'
import { countKeys } from '../service/answer/counts.js'
import type { Format } from '../service/answer/formats/json.js'
import { FORMATS } from '../service/answer/formats/registry.js'
import { rawTextOptions } from '../service/request/fields/embedding-request.js'
import { FieldFlags } from './field-flags.js'
import { type Input, type Output, openInput, openOutput } from './files.js'
import { type Answer, LocalModels } from './local-models.js'
import { type Call, type Command, CommandError, flagsIn, UsageError } from './program.js'
import { byteText, numberText, Progress, quietFlag, secondsText, visible } from './terminal.js'

export const readQuery = queryReader(rawTextOptions)
const options = new FieldFlags(fieldsOf(rawTextOptions))

/** A message with the flags in place of the options. */
export const optionsNamed = (message: string) => options.named(message)

/** The options of `POST /v1/input-embeddings` as flags. */
export const optionFlags = [...options.flags, ...options.schemeFlags]

/** Flags as its query string. @throws UsageError that names the flag, the rule and the value given */
export function optionQuery(values: ReadonlyMap<string, string>): string {
  const query = options.query(values)
  options.checked(() => readQuery(query))
  return query
}

const names = FORMATS.map(({ name }) => name)

/** `inlet embed`: a text of any size to tensors in a file. */
export const embed: Command = {
  name: 'embed',
  summary: 'Makes input embeddings of a text.',
  takes: '[FILE]',
  examples: [
    'inlet embed book.txt --context-length 256 --stride 128 -o book.safetensors',
    'inlet embed book.txt --outputs input_ids -o ids.npy',
    'zcat corpus.gz | inlet embed - --context-length 1024 --dtype bfloat16 -o corpus.safetensors',
    'inlet embed book.txt --position-embedding rope --position-embedding.head-dim 128 -o book.safetensors',
  ],
  flags: {
    'Where from, where to': flagsIn({
      '-o, --output <FILE>': 'Default: stdout, which - also names. A file appears only when it is complete.',
      '-f, --format <NAME>': `One of ${names.join(', ')}. Default: by the ending of the output file (.bin is raw), json on stdout.`,
      ...quietFlag,
    }),
    'What to make; options of a position scheme as --position-embedding.head-dim 64 (docs/positions.md)':
      optionFlags,
  },
  run: runEmbed,
}

async function runEmbed({ files, values, signal }: Call): Promise<void> {
  const path = values.get('output') ?? '-'
  const format = formatOf(values.get('format'), path)
  const query = optionQuery(values)
  const progress = new Progress(values.has('quiet'))
  let input: Input | undefined
  try {
    input = await openInput(files[0])
    const models = await LocalModels.open(process.env, 1, values.get('model'))
    const started = performance.now()
    progress.stage('reading', input.bytes)
    const answer = await models.embed({
      ...input,
      query,
      format,
      signal,
      sent: (bytes) => progress.add(bytes),
    })
    const output = await openOutput(path)
    const written = await write(answer, output, progress, signal)
    const seconds = (performance.now() - started) / 1000
    progress.end(summary(path, answer, written, seconds))
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof CommandError || error instanceof InletError))
      throw error
    throw new CommandError(optionsNamed(error.message), { cause: error })
  } finally {
    input?.stream.destroy() // a refused text is not read to its end
    progress.end()
  }
}

/** Writes the answer; returns its bytes. @throws CommandError if it cannot be written whole; then no file is left */
async function write(
  answer: Answer,
  output: Output,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  progress.stage('writing', answer.length)
  let bytes = 0
  try {
    for await (const chunk of answer.chunks()) {
      await output.write(chunk)
      bytes += chunk.length
      progress.add(chunk.length)
      signal.throwIfAborted()
    }
    await output.finish()
  } catch (error) {
    await output.discard()
    throw new CommandError(`The answer was not written whole: ${(error as Error).message}`, { cause: error })
  }
  return bytes
}

function summary(path: string, { headers }: Answer, bytes: number, seconds: number): string {
  const count = (name: CountName, unit: string) => {
    const value = headers[countKeys[name]]
    return value === undefined ? [] : [`${numberText(Number(value))} ${unit}`]
  }
  const tokens = Number(headers[countKeys.num_tokens])
  const rate = tokens ? `, ${numberText(Math.round(tokens / seconds))} tokens/s` : ''
  const counts = [...count('num_tokens', 'tokens'), ...count('num_windows', 'windows'), byteText(bytes)]
  return `${path === '-' ? 'stdout' : visible(path)}: ${counts.join(', ')} in ${secondsText(seconds)}${rate}`
}

/** The format that `--format` names, else that of the file's ending. */
function formatOf(given: string | undefined, path: string): Format {
  const ending = extname(path).slice(1)
  const name = given ?? (path === '-' ? 'json' : ending === 'bin' ? 'raw' : ending)
  const format = FORMATS.find((each) => each.name === name)
  if (format === undefined) {
    if (given !== undefined)
      throw new UsageError(`--format must be one of ${names.join(', ')}. Given: ${given}`)
    const endings = names.map((each) => `.${each}`).join(', ')
    throw new UsageError(`--format is needed: ${path} ends with none of ${endings}.`)
  }
  if (path !== '-' || !process.stdout.isTTY || name === 'json') return format
  throw new UsageError(`--output is needed: ${name} is nothing for a terminal.`)
}
