import type { DocumentSink } from '../corpus/document-writer.js'
import { ingestNdjson } from '../corpus/ingest-ndjson.js'
import type { ChatOptions } from '../first-layer/datasets/chats/chat-documents.js'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { InletError } from '../first-layer/errors.js'
import { allowedSpecialSet } from '../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { openInput } from './files.js'
import { type Call, type Command, CommandError, flagsIn, UsageError } from './program.js'
import { columns, countText, numberText, shareText, styleFor, visible } from './terminal.js'

const MAX_LINE_BYTES = 1 << 26

/** `inlet dataset check`: what an upload of chats would become, without one. */
export const check: Command = {
  name: 'check',
  summary:
    'Says whether a file of chats is fit to train on, without an upload: exit code 1 where chats are refused.',
  takes: '<FILE>',
  examples: [
    'inlet dataset check chats.jsonl --model ./qwen',
    'inlet dataset check chats.jsonl -m qwen --context-length 4096',
  ],
  flags: {
    Flags: flagsIn({
      '-m, --model <NAME>': 'The model whose template and tokenizer are used: a folder, or a name of MODELS.',
      '--mask <LAW>': 'sampled, tags or all. Default: sampled.',
      '--turns <WHICH>': 'auto, whole, each or last. Default: auto.',
      '--context-length <T>': 'Says how many documents and tokens are beyond T.',
    }),
  },
  async run({ files: [path], values, signal }: Call) {
    const model = values.get('model')
    if (model === undefined) throw new UsageError('--model is needed: it has the chat template.')
    const { modelCard, modelTokenizer } = await import('./local-models.js')
    const [{ chat }, tokenizer] = [await modelCard(model), await modelTokenizer(model)]
    const law = {
      mask: chosen(values, 'mask', ['sampled', 'tags', 'all'] as const),
      turns: chosen(values, 'turns', ['auto', 'whole', 'each', 'last'] as const),
    }
    const audit = new Audit(Number(values.get('context-length') ?? Number.POSITIVE_INFINITY))
    const chats = await audited(path, audit, tokenizer, {
      ...{ chat, isAsked: true, options: { ...law, trailing: 'mask', refused: 'skip' } },
      pace: () => void signal.throwIfAborted(),
    })
    process.stdout.write(`${report(path, chats, audit, tokenizer).join('\n')}\n`)
    if (!isFit(chats)) throw new CommandError(`${visible(path)} is not fit to train on.`)
  },
}

interface AuditSettings {
  readonly chat: NonNullable<Parameters<typeof ingestNdjson>[1]['chats']>['chat']
  readonly isAsked: boolean
  readonly options: ChatOptions & { readonly refused: 'skip' }
  pace(): undefined
}

async function audited(path: string, sink: Audit, tokenizer: Tokenizer, { pace, ...chats }: AuditSettings) {
  const { stream } = await openInput(path)
  const text = { tokenizer, allowedSpecial: allowedSpecialSet(tokenizer, undefined) }
  const upload = { text, textField: 'text', chats, maxLineBytes: MAX_LINE_BYTES }
  try {
    return (await ingestNdjson(stream, upload, sink, pace)).chats!
  } catch (error) {
    throw error instanceof InletError
      ? new CommandError(`${visible(path)}: ${error.message}`, { cause: error })
      : error
  }
}

function chosen<Name extends string>(
  values: ReadonlyMap<string, string>,
  flag: string,
  names: readonly Name[],
): Name {
  const given = values.get(flag) ?? names[0]
  const name = names.find((each) => each === given)
  if (name !== undefined) return name
  throw new UsageError(`--${flag} must be one of ${names.join(', ')}. Given: ${given}`)
}

/** Counts what it gets, and keeps the first document. */
class Audit implements DocumentSink {
  numTokens = 0
  longest = 0
  numBeyond = 0
  tokensBeyond = 0
  readonly first: number[] = []
  #length = 0
  #isFirst = true

  constructor(readonly contextLength: number) {}

  startMask(): void {}

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    let start = 0
    for (const end of ends) {
      this.#take(ids.subarray(start, end))
      this.#endDocument()
      start = end
    }
    this.#take(ids.subarray(start))
    this.numTokens += ids.length
  }

  #take(ids: Int32Array): void {
    this.#length += ids.length
    if (this.#isFirst) for (const id of ids) this.first.push(id)
  }

  #endDocument(): void {
    this.longest = Math.max(this.longest, this.#length)
    if (this.#length > this.contextLength) this.numBeyond++
    this.tokensBeyond += Math.max(0, this.#length - this.contextLength)
    this.#length = 0
    this.#isFirst = false
  }
}

function isFit({ num_refused, num_target_tokens }: ChatCounts): boolean {
  return num_refused === 0 && num_target_tokens > 0
}

function report(path: string, chats: ChatCounts, audit: Audit, tokenizer: Tokenizer): string[] {
  const { num_chats: all, num_target_tokens: trained } = chats
  const why =
    chats.num_refused > 0
      ? `${chats.num_refused} of ${countText(all, 'chat')} are refused`
      : 'no token is trained'
  const verdict = isFit(chats) ? 'fit to train on' : `not fit to train on: ${why}`
  const { contextLength: T, numBeyond, tokensBeyond, numTokens, longest } = audit
  const rows: [string, number, string][] = [
    ['chats', all, ''],
    ['whole', chats.num_whole, ''],
    ['by turn', chats.num_by_turn, 'a document for each turn'],
    ['refused', chats.num_refused, 'no exact mask'],
    ['tokens', numTokens, `the longest document has ${numberText(longest)}`],
    ['trained', trained, shareText(trained, numTokens)],
    ['without a stop', chats.num_without_stop, 'turns: a model trained on them does not learn to stop'],
    ['straddling', chats.num_straddling, 'tokens across the edge of a turn, not trained'],
    ['prefilled', chats.num_prefilled, 'turns that the prompt begins'],
    ['untrained', chats.num_untrained, 'documents'],
  ]
  if (Number.isFinite(T))
    rows.push([`beyond ${T}`, numBeyond, `documents, ${countText(tokensBeyond, 'token')}`])
  return [
    `${visible(path)}: ${verdict}`,
    ...columns(
      rows.map(([name, number, note]) => [name, numberText(number), note]),
      (column) => column === 1,
    ),
    ...chats.refused.map(
      ({ line, turn, reason }) => `line ${line}: ${turn === null ? '' : `messages.${turn} `}${reason}`,
    ),
    ...(process.stdout.isTTY ? ['', sample(audit.first, tokenizer)] : []),
  ]
}

const [GREEN, PLAIN] = ['\u001b[32m', '\u001b[39m']

/** A document's text, what is trained of it in green. */
function sample(ids: readonly number[], tokenizer: Tokenizer): string {
  const { bold } = styleFor(process.stdout)
  const texts = ids.map((id) => {
    const text = visible(tokenizer.tokenText(id < 0 ? ~id : id) ?? '\ufffd', '\n')
    return id < 0 ? text : `${GREEN}${text}${PLAIN}`
  })
  return `${bold('The first document, what is trained in green:')}\n${texts.join('')}`
}
