import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../first-layer/package-file.js'
import { streamOptions } from '../first-layer/tokens/allowed-special.js'
import { UNBOUNDED } from '../load/claim.js'
import { idsOfChunks } from '../requests/text-ids.js'
import { FORMATS } from '../wire/formats/registry.js'
import { rawTextOptions } from '../wire/schemas/embedding-request.js'
import type { Command } from './command.js'
import { LocalModels } from './local-models.js'
import { type Style, styleFor } from './style.js'

/** `inlet demo`: what the service does to a sample text, shown in a terminal. */
export const demo: Command = {
  name: 'demo',
  summary: 'Shows what the service does to a sample text: tokens, windows, values, times, calls.',
  usage: 'demo [flags]',
  examples: ['inlet demo'],
  flagGroups: [],
  maxFiles: 0,
  async run() {
    for (const line of await demoLines(styleFor(process.stdout))) process.stdout.write(`${line}\n`)
  },
}

const SAMPLE = fileURLToPath(packageFile('docs/sample.txt'))
const CONTEXT_LENGTH = 4
const QUERY = `context_length=${CONTEXT_LENGTH}&stride=${CONTEXT_LENGTH}&batch_size=8&batch_index=0`
const SHOWN_TOKENS = 14
const SHOWN_WINDOWS = 3
const SHOWN_VALUES = 4
const WIDTH = 96

interface Token {
  readonly id: number
  readonly text: string | null
}

interface Tensor<Data> {
  readonly dtype: string
  readonly shape: readonly number[]
  readonly data: Data
}

interface Embedded {
  readonly num_tokens: number
  readonly num_windows: number
  readonly outputs: {
    readonly input_ids: Tensor<number[][]>
    readonly target_ids: Tensor<number[][]>
    readonly token_embeddings: Tensor<number[][][]>
    readonly position_embeddings: Tensor<number[][]>
    readonly input_embeddings: Tensor<number[][][]>
  }
}

/** All lines of the demo. */
async function demoLines(style: Style): Promise<string[]> {
  const local = await LocalModels.open({ ...process.env, EMBEDDING_DIM: '256' })
  const text = await readFile(SAMPLE, 'utf8')
  const started = performance.now()
  const embedded = await embed(local, text)
  const callMs = performance.now() - started
  const tokenizer = await local.tokenizer()
  const tokenizing = performance.now()
  const options = streamOptions(tokenizer, rawTextOptions.parse({}))
  const ids = await idsOfChunks(tokenizer, Readable.from([Buffer.from(text)]), options, UNBOUNDED)
  const tokenizeMs = performance.now() - tokenizing
  const tokens = Array.from({ length: ids.length }, (_, i): Token => {
    return { id: ids.at(i), text: tokenizer.tokenText(ids.at(i)) ?? null }
  })
  const literal = new Map(tokens.map(({ id, text }) => [id, text ?? '�']))
  return [
    ...heading(style, 'Text', `docs/sample.txt, ${Buffer.byteLength(text)} bytes`),
    style.dim(`  ${oneLine(text.slice(0, WIDTH - 4))}…`),
    ...heading(style, 'Tokens', `${embedded.num_tokens}, GPT-2 BPE; a tile each, its id below`),
    ...tokenLines(style, tokens.slice(0, SHOWN_TOKENS)),
    ...heading(
      style,
      'Windows',
      `${embedded.num_windows} of ${CONTEXT_LENGTH} tokens; the first batch has 8`,
    ),
    ...windowLines(style, embedded, literal),
    ...heading(
      style,
      'Tensors',
      'token row + position row = input row, as PyTorch makes them under seed 123',
    ),
    ...tensorLines(style, embedded),
    ...valueLines(style, embedded),
    ...heading(style, 'Time', `${local.backend} backend`),
    `  tables of ${Math.round(local.tableBytes / 2 ** 20)} MiB and start ${ms(local.readyMs)}, tokenize ${ms(tokenizeMs)}, the whole call ${ms(callMs)}`,
    ...heading(style, 'The same call', 'against a service that `npm start` runs'),
    ...callLines(style),
  ]
}

/** The first batch of the text's windows, as the service's JSON answer has it. */
async function embed(local: LocalModels, text: string): Promise<Embedded> {
  const outputs = ['input_ids', 'target_ids', 'token_embeddings', 'position_embeddings', 'input_embeddings']
  const answer = await local.embed({
    query: `${QUERY}&outputs=${outputs}`,
    format: FORMATS[0],
    text: Readable.from([Buffer.from(text)]),
    sent() {},
    signal: new AbortController().signal,
  })
  let json = ''
  for await (const block of answer.chunks()) json += Buffer.from(block).toString()
  return JSON.parse(json)
}

function heading(style: Style, title: string, note: string): string[] {
  return ['', `${style.bold(style.accent(title))}  ${style.dim(note)}`]
}

/** Lines of tokens, each on its own background colour with its id below, as wide as the wider of the two. */
function tokenLines(style: Style, tokens: readonly Token[]): string[] {
  const lines: string[] = []
  let above = '  '
  let below = '  '
  let width = 2
  tokens.forEach(({ id, text }, i) => {
    const shown = text === null ? '�' : oneLine(text)
    const cell = Math.max(shown.length, String(id).length)
    if (width + cell + 1 > WIDTH) {
      lines.push(above, below)
      above = below = '  '
      width = 2
    }
    above += `${style.tiles[i % style.tiles.length](shown)}${' '.repeat(cell - shown.length + 1)}`
    below += style.dim(String(id).padEnd(cell + 1))
    width += cell + 1
  })
  return [...lines, above, below]
}

function windowLines(style: Style, { outputs }: Embedded, literal: ReadonlyMap<number, string>): string[] {
  const row = (ids: readonly number[]) =>
    `${ids.map((id) => String(id).padStart(5)).join(' ')}  ${style.dim(JSON.stringify(ids.map((id) => literal.get(id)).join('')))}`
  return outputs.input_ids.data
    .slice(0, SHOWN_WINDOWS)
    .flatMap((ids, w) => [
      `  input_ids[${w}]   ${row(ids)}`,
      `  target_ids[${w}]  ${row(outputs.target_ids.data[w])}`,
    ])
}

function tensorLines(style: Style, { outputs }: Embedded): string[] {
  return Object.entries(outputs).map(([name, { dtype, shape }]) => {
    return `  ${name.padEnd(20)} ${style.good(`[${shape.join(', ')}]`.padEnd(12))} ${style.dim(dtype)}`
  })
}

function valueLines(style: Style, { outputs }: Embedded): string[] {
  const values = (row: readonly number[]) =>
    `${row
      .slice(0, SHOWN_VALUES)
      .map((value) => value.toFixed(7).padStart(11))
      .join(' ')} …`
  const { token_embeddings: tokens, position_embeddings: positions, input_embeddings: sums } = outputs
  return [
    '',
    `  token_embeddings[0][0]   ${style.dim(values(tokens.data[0][0]))}`,
    `  position_embeddings[0] + ${style.dim(values(positions.data[0]))}`,
    `  input_embeddings[0][0] = ${values(sums.data[0][0])}`,
  ]
}

function callLines(style: Style): string[] {
  const url = 'http://localhost:8000/v1/input-embeddings'
  return [
    style.dim('  # curl'),
    `  curl -s '${url}?${QUERY}' \\`,
    `    -H 'content-type: text/plain' -H 'accept: application/x-npy' --data-binary @docs/sample.txt -o batch.npy`,
    style.dim('  # Python'),
    `  body = {"text": open("docs/sample.txt").read(), "context_length": 4, "batch_size": 8, "batch_index": 0}`,
    `  answer = requests.post("${url}", json=body, headers={"accept": "application/x-npy"})`,
    '  x = numpy.load(io.BytesIO(answer.content)) # [8, 4, 256]',
    style.dim('  // TypeScript'),
    `  const url = '${url}?${QUERY}'`,
    `  const headers = { 'content-type': 'text/plain', accept: 'application/octet-stream' }`,
    `  const answer = await fetch(url, { method: 'POST', headers, body: text })`,
    '  const x = new Float32Array(await answer.arrayBuffer()) // [8, 4, 256]',
    '',
  ]
}

function oneLine(text: string): string {
  return text.replaceAll('\n', '⏎').replaceAll(' ', '·')
}

function ms(milliseconds: number): string {
  return `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
}
