import { addAbortSignal } from 'node:stream'
import { z } from 'zod'
import { tokenizeOptions } from '../first-layer/options/tokenize.js'
import { tokenize as tokenizeTexts } from '../first-layer/tokenize.js'
import { loadEncoding } from '../first-layer/tokens/encoding.js'
import { DEFAULT_ENCODING, ENCODING_NAMES } from '../first-layer/tokens/encodings.js'
import type { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { streamOptions } from '../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkedUtf8 } from '../first-layer/tokens/unicode/utf8.js'
import { FieldFlags } from './field-flags.js'
import { type Input, openInput, writeOutput } from './files.js'
import { type Call, type Command, CommandError, flagsIn, oneOf, UsageError } from './program.js'

const options = new FieldFlags(z.strictObject(tokenizeOptions))

/** `inlet tokenize`: the ids of a text, one on each line. */
export const tokenize: Command = {
  name: 'tokenize',
  summary: 'Prints the token ids of a text, one a line. No service is needed.',
  takes: '[FILE]',
  examples: [
    'inlet tokenize book.txt --encoding o200k_base',
    'inlet tokenize book.txt --model gpt2',
    "echo 'Hello, world!' | inlet tokenize --json",
  ],
  flags: {
    Flags: [
      ...flagsIn({
        '-e, --encoding <NAME>': `One of ${ENCODING_NAMES.join(', ')}. Default: gpt2.`,
        '-m, --model <NAME>':
          'The tokenizer of a model instead: a name that inlet models lists, one of MODELS, or a folder.',
      }),
      ...options.flags,
      ...flagsIn({
        '--json': 'One JSON array instead of lines.',
        '--count': 'Only how many there are.',
        '-o, --output <FILE>': 'Default: stdout.',
      }),
    ],
  },
  async run({ files, values, signal }: Call) {
    const tokenizer = await tokenizerOf(values)
    const asked = options.read(values, (given) => void streamOptions(tokenizer, given)) // before a text is read
    const input = checked(await openInput(files[0]), signal)
    const between = () => void signal.throwIfAborted()
    const { ids } = await tokenizeTexts(tokenizer, input, asked, { between })
    await writeOutput(values.get('output') ?? '-', text(ids, values))
  },
}

async function tokenizerOf(values: ReadonlyMap<string, string>): Promise<Tokenizer> {
  const model = values.get('model')
  if (model === undefined)
    return loadEncoding(oneOf('encoding', ENCODING_NAMES, values.get('encoding') ?? DEFAULT_ENCODING))
  if (values.has('encoding')) throw new UsageError('--encoding must not be given beside --model.')
  const { modelTokenizer } = await import('./local-models.js') // readers of folders: an encoding does without
  return modelTokenizer(model)
}

function checked({ name, stream }: Input, signal: AbortSignal): AsyncIterable<Uint8Array> {
  addAbortSignal(signal, stream) // stdin may be silent for long
  return checkedUtf8(stream, (byte) => new CommandError(`${name} must be UTF-8: byte ${byte} is not.`))
}

const BLOCK = 8192

function* text(ids: TokenBuffer, values: ReadonlyMap<string, string>): Generator<Uint8Array> {
  if (values.has('count')) return yield Buffer.from(`${ids.length}\n`)
  const [start, between, end] = values.has('json') ? ['[', ',', ']\n'] : ['', '\n', '\n']
  yield Buffer.from(start)
  for (let i = 0; i < ids.length; i += BLOCK) {
    const block = Array.from({ length: Math.min(BLOCK, ids.length - i) }, (_, j) => ids.at(i + j))
    yield Buffer.from((i > 0 ? between : '') + block.join(between))
  }
  if (ids.length > 0 || values.has('json')) yield Buffer.from(end)
}
