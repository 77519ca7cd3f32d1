import { extname } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { rawTextOptions } from '../checkpoints/embedding-request.js'
import type { Counts } from '../first-layer/answer.js'
import { embed as embedText } from '../first-layer/embed.js'
import { bodyTooLarge, responseTooLarge } from '../first-layer/errors.js'
import { FORMATS, type Format } from '../first-layer/formats/formats.js'
import { checkedText } from '../first-layer/tokens/unicode/utf8.js'
import { LIMIT_VARIABLES, readVariables } from '../models/variables.js'
import { openModel } from '../run/open-model.js'
import { FieldFlags } from './field-flags.js'
import { type Input, openInput, writeOutput } from './files.js'
import { localModel } from './local-models.js'
import { type Call, type Command, flagsIn, oneOf, UsageError } from './program.js'
import { byteText, countText, numberText, Progress, quietFlag, secondsText, visible } from './terminal.js'

export const embedFlags = new FieldFlags(rawTextOptions)

/** The options of `POST /v1/input-embeddings` as flags. */
export const optionFlags = [...embedFlags.flags, ...embedFlags.schemeFlags]

/** The user of a command shares its process with no caller: limits apply only where the environment sets them. */
const NO_LIMITS = {
  MAX_BODY_BYTES: String(2 ** 40),
  MAX_RESPONSE_BYTES: String(2 ** 40),
  MAX_JSON_RESPONSE_BYTES: String(2 ** 40),
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
  named: (message) => embedFlags.named(message),
  run: runEmbed,
}

async function runEmbed({ files, values, signal }: Call): Promise<void> {
  const path = values.get('output') ?? '-'
  const format = formatOf(values.get('format'), path)
  const options = embedFlags.read(values)
  const limits = readVariables({ ...NO_LIMITS, ...process.env }, LIMIT_VARIABLES)
  const input = await openInput(files[0])
  const model = await openModel(await localModel(options.model), 0)
  using progress = new Progress(values)
  progress.stage('reading', input.bytes)
  const text = checkedText(readText(input, limits.MAX_BODY_BYTES, progress, signal))
  const edge = { between: () => void signal.throwIfAborted() }
  const answer = await embedText(model, text, options, { format, edge })
  const encoded = format.encode(answer, options.encoding_format)
  const limit = format.isText ? limits.MAX_JSON_RESPONSE_BYTES : limits.MAX_RESPONSE_BYTES
  if (encoded.size > limit) throw responseTooLarge(format.mediaTypes[0], limit, `${encoded.size} bytes`)
  progress.stage('writing', encoded.exact ? encoded.size : undefined)
  let written = 0
  await writeOutput(path, encoded.body, (bytes) => {
    written += bytes
    progress.add(bytes)
    signal.throwIfAborted()
  })
  progress.write(summary(path, answer.counts, written, progress.seconds))
}

/** The chunks of a text, counted. @throws InletError `body_too_large`, CommandError if it cannot be read */
async function* readText(
  { stream, bytes: length = 0 }: Input,
  limit: number,
  progress: Progress,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  if (length > limit) throw bodyTooLarge(limit, length)
  let bytes = 0
  for await (const chunk of addAbortSignal(signal, stream)) {
    bytes += chunk.length
    if (bytes > limit) throw bodyTooLarge(limit)
    progress.add(chunk.length)
    yield chunk
  }
}

function summary(path: string, counts: Counts | undefined, bytes: number, seconds: number): string {
  const { numTokens = 0, numWindows } = counts ?? {}
  const windows = numWindows === undefined ? [] : [countText(numWindows, 'window')]
  const rate = numTokens > 0 ? `, ${numberText(Math.round(numTokens / seconds))} tokens/s` : ''
  const all = [countText(numTokens, 'token'), ...windows, byteText(bytes)]
  return `${path === '-' ? 'stdout' : visible(path)}: ${all.join(', ')} in ${secondsText(seconds)}${rate}`
}

/** The format that `--format` names, else that of the file's ending. */
function formatOf(given: string | undefined, path: string): Format {
  const ending = extname(path).slice(1)
  const name = given ?? (path === '-' ? 'json' : ending === 'bin' ? 'raw' : ending)
  if (given !== undefined) oneOf('format', names, given)
  const format = FORMATS.find((each) => each.name === name)
  if (format === undefined) {
    const endings = names.map((each) => `.${each}`).join(', ')
    throw new UsageError(`--format is needed: ${path} ends with none of ${endings}.`)
  }
  if (path !== '-' || !process.stdout.isTTY || name === 'json') return format
  throw new UsageError(`--output is needed: ${name} is nothing for a terminal.`)
}
