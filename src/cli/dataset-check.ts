import { type DocumentSink, DocumentWriter } from '../corpus/document-writer.js'
import { chatSettings } from '../corpus/ingest-chats.js'
import { ingestNdjson } from '../corpus/ingest-ndjson.js'
import { datasetUpload, readDatasetUpload } from '../corpus/upload-options.js'
import type { ChatCounts } from '../first-layer/datasets/chats/chat-lines.js'
import { allowedSpecialSet } from '../first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { FieldFlags } from './field-flags.js'
import { openInput } from './files.js'
import { type Call, type Command, CommandError, failing, flagsIn, UsageError } from './program.js'
import { columns, countText, numberText, styleFor, visible } from './terminal.js'

const MAX_LINE_BYTES = 1 << 26

const FIELDS = ['mask', 'turns', 'trailing', 'chat_template']
const uploadFlags = new FieldFlags(datasetUpload, FIELDS)

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
      '--context-length <T>': 'Says how many documents and tokens are beyond T.',
    }),
    'As the upload has them': uploadFlags.flags,
  },
  async run({ files: [path], values, signal }: Call) {
    const model = values.get('model')
    if (model === undefined) throw new UsageError('--model is needed: it has the chat template.')
    const given = values.get('context-length')
    const contextLength = Number(given ?? Number.POSITIVE_INFINITY)
    if (!(contextLength >= 1))
      throw new UsageError(`--context-length must be a number of at least 1. Given: ${given}`)
    const query = `${uploadFlags.query(values)}&refused=skip`
    const asked = uploadFlags.checked(() => readDatasetUpload(query, 'application/x-ndjson'))
    const { modelCard, modelTokenizer } = await import('./local-models.js')
    const [{ chat }, tokenizer] = [await modelCard(model), await modelTokenizer(model)]
    const audit = new Audit(contextLength)
    const { stream } = await openInput(path)
    const upload = {
      text: { tokenizer, allowedSpecial: allowedSpecialSet(tokenizer, undefined) },
      ...{ textField: 'text', chats: chatSettings(asked, chat), maxLineBytes: MAX_LINE_BYTES },
    }
    const between = () => void signal.throwIfAborted()
    const writer = new DocumentWriter(audit, {}, between)
    const chats = await ingestNdjson(stream, upload, writer).catch(failing(path))
    await writer.flush()
    process.stdout.write(`${report(path, chats!, audit, tokenizer).join('\n')}\n`)
    if (!isFit(chats!)) throw new CommandError(`${path} is not fit to train on.`)
  },
}

/** Counts what it gets, and keeps the first document. */
class Audit implements DocumentSink {
  numTokens = 0
  longest = 0
  numBeyond = 0
  tokensBeyond = 0
  readonly first: number[] = []
  #numDocuments = 0
  /** Ids of the present document so far. */
  #length = 0

  constructor(readonly contextLength: number) {}

  async write(ids: Int32Array, ends: Int32Array): Promise<void> {
    if (this.#numDocuments === 0) for (const id of ids.subarray(0, ends[0])) this.first.push(id)
    let start = 0
    for (const end of ends) {
      const length = this.#length + end - start
      const beyond = Math.max(0, length - this.contextLength)
      this.longest = Math.max(this.longest, length)
      this.tokensBeyond += beyond
      if (beyond > 0) this.numBeyond++
      this.#length = 0
      start = end
    }
    this.#length += ids.length - start
    this.#numDocuments += ends.length
    this.numTokens += ids.length
  }
}

function isFit({ num_refused, num_target_tokens }: ChatCounts): boolean {
  return num_refused === 0 && num_target_tokens > 0
}

function report(path: string, chats: ChatCounts, audit: Audit, tokenizer: Tokenizer): string[] {
  const { num_chats: all, num_refused: refused, num_target_tokens: trained } = chats
  const why = refused > 0 ? `${refused} of ${countText(all, 'chat')} are refused` : 'no token is trained'
  const verdict = isFit(chats) ? 'fit to train on' : `not fit to train on: ${why}`
  const { contextLength: T, numBeyond, tokensBeyond, numTokens, longest } = audit
  const rows: [string, number, string?][] = [
    ['chats', all],
    ['whole', chats.num_whole],
    ['by turn', chats.num_by_turn, 'a document for each turn'],
    ['refused', refused, 'no exact mask'],
    ['tokens', numTokens, `the longest document has ${numberText(longest)}`],
    ['trained', trained, `${Math.round((100 * trained) / Math.max(1, numTokens))} %`],
    ['without a stop', chats.num_without_stop, 'turns: a model trained on them does not learn to stop'],
    ['straddling', chats.num_straddling, 'tokens across the edge of a turn, not trained'],
    ['prefilled', chats.num_prefilled, 'turns that the prompt begins'],
    ['untrained', chats.num_untrained, 'documents'],
  ]
  if (Number.isFinite(T))
    rows.push([`beyond ${T}`, numBeyond, `documents, ${countText(tokensBeyond, 'token')}`])
  const cells = rows.map(([name, number, note = '']) => [name, numberText(number), note])
  return [
    `${visible(path)}: ${verdict}`,
    ...columns(cells, (column) => column === 1),
    ...chats.refused.map(
      ({ line, turn, reason }) => `line ${line}: ${turn === null ? '' : `messages.${turn} `}${reason}`,
    ),
    ...(process.stdout.isTTY ? ['', sample(audit.first, tokenizer)] : []),
  ]
}

/** A document's text, what is trained of it in green. */
function sample(ids: readonly number[], tokenizer: Tokenizer): string {
  const { bold, good } = styleFor(process.stdout)
  const texts = ids.map((id) => {
    const text = visible(tokenizer.tokenText(id < 0 ? ~id : id) ?? '\ufffd', '\n')
    return id < 0 ? text : good(text)
  })
  return `${bold('The first document, what is trained in green:')}\n${texts.join('')}`
}
