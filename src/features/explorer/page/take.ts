import type { Model, OutputName } from '../../../../clients/typescript/src/index.js'
import type { Answer } from './answer.js'
import { embeddingsFields, isLong } from './calls.js'
import type { Recipe } from './recipe.js'

/** The ways to take it along, in the order of their tabs. */
export const WAYS = ['curl', 'Python', 'PyTorch'] as const

/** The service's address, whether it asks for a key, and the model of the answer. */
export interface Source {
  readonly service: string
  readonly needsKey: boolean
  readonly model: Model | undefined
}

/** A call of the service for one tensor. A body that is a string is a raw text; any other goes as JSON. */
export interface Taken {
  readonly address: string
  readonly body: string | object
  readonly output: OutputName
  /** No snippet has the key itself: they read `INLET_API_KEY`. */
  readonly needsKey: boolean
}

/** Lines to copy, with a file that they read; or the reason why there are none. */
export type Snippet =
  | { readonly code: string; readonly file?: { readonly name: string; readonly content: string } | undefined }
  | { readonly why: string }

export function snippetOf(
  way: (typeof WAYS)[number],
  answer: Answer,
  output: OutputName,
  source: Source,
): Snippet {
  if (way === 'PyTorch') return pytorch(answer, source.model, output)
  const taken = takenOf(answer, output, source)
  return way === 'curl' ? curl(taken) : python(taken)
}

/** The call for a tensor of what is on screen: a long text is the body itself, beside fields in the query string. */
export function takenOf(answer: Answer, output: OutputName, { service, needsKey }: Source): Taken {
  const fields = embeddingsFields(answer.recipe, [output])
  const url = new URL('v1/input-embeddings', service)
  if (!isLong(fields)) return { address: url.href, body: fields, output, needsKey }
  const { text, outputs = [], ...rest } = fields
  const query = { ...flat(rest), outputs: outputs.join(',') }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return { address: url.href, body: text, output, needsKey }
}

/** Fields of the query string: `{ position_embedding: { type: 'rope', head_dim: 4 } }` → `position_embedding=rope` … */
function flat(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return [[name, String(value)]]
    const { type, ...options } = value as Record<string, unknown>
    const written = Object.entries(options).map(([option, each]) => [`${name}.${option}`, String(each)])
    return [[name, String(type)], ...written]
  })
  return Object.fromEntries(pairs)
}

const MAX_WRITTEN = 8192

/** The body of a call as a file, if it is a raw text or long. */
function fileOf({ body }: Taken) {
  if (typeof body === 'string') return { name: 'text.txt', content: body }
  const content = JSON.stringify(body)
  return content.length > MAX_WRITTEN ? { name: 'body.json', content } : undefined
}

export function bodyTypeOf({ body }: Taken): string {
  return typeof body === 'string' ? 'text/plain' : 'application/json'
}

/** The call for a shell; the tensor comes as a file of NumPy. */
function curl(taken: Taken): Snippet {
  const { address, body, output, needsKey } = taken
  const file = fileOf(taken)
  const lines = () => fieldLines(body as object, 'json', { indent: '  ', step: '  ', lastComma: false })
  const code = [
    `curl -sSf ${shellQuoted(address)}`,
    `-H 'content-type: ${bodyTypeOf(taken)}'`,
    "-H 'accept: application/x-npy'",
    ...(needsKey ? ['-H "authorization: Bearer $INLET_API_KEY"'] : []),
    `-o ${output}.npy`,
    file === undefined ? `-d ${shellQuoted(lines())}` : `--data-binary @${file.name}`,
  ].join(' \\\n  ')
  return { code, file }
}

/** A word of a POSIX shell in which nothing is expanded: it's → 'it'\''s'. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The call for Python: requests and NumPy; the tensor is `array`. */
function python(taken: Taken): Snippet {
  const { address, body, needsKey } = taken
  const file = fileOf(taken)
  const headers = {
    accept: 'application/x-npy',
    ...(file === undefined ? {} : { 'content-type': bodyTypeOf(taken) }),
  }
  const code = [
    'import io',
    ...(needsKey ? ['import os'] : []),
    ...(file === undefined ? [] : ['import pathlib']),
    '',
    'import numpy as np',
    'import requests',
    '',
    `url = ${JSON.stringify(address)}`,
    `headers = ${fieldLines(headers, 'python')}`,
    ...(needsKey ? ['headers["authorization"] = "Bearer " + os.environ["INLET_API_KEY"]'] : []),
    ...(file === undefined
      ? [
          `body = ${fieldLines(body as object, 'python')}`,
          'answer = requests.post(url, json=body, headers=headers)',
        ]
      : [
          `body = pathlib.Path("${file.name}").read_bytes()`,
          'answer = requests.post(url, data=body, headers=headers)',
        ]),
    'answer.raise_for_status()',
    'array = np.load(io.BytesIO(answer.content))',
    'print(array.dtype, array.shape)',
  ].join('\n')
  return { code, file }
}

/**
 * Fields as the literal of a language, one on each line:
 * `{ text: 'a', shuffle: true }` → `{\n    "text": "a",\n    "shuffle": True,\n}` in Python. A string is JSON's: Python
 * reads JSON's escapes the same.
 *
 * @param indent before the closing brace; the fields have `step` more
 */
function fieldLines(
  fields: object,
  language: 'json' | 'python',
  { indent = '', step = '    ', lastComma = true } = {},
): string {
  const lines = Object.entries(fields).map(
    ([name, value]) => `${indent}${step}${JSON.stringify(name)}: ${literal(value, language)}`,
  )
  return `{\n${lines.join(',\n')}${lastComma ? ',' : ''}\n${indent}}`
}

function literal(value: unknown, language: 'json' | 'python'): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, language)).join(', ')}]`
  if (typeof value === 'boolean' && language === 'python') return value ? 'True' : 'False'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(
    ([name, each]) => `${JSON.stringify(name)}: ${literal(each, language)}`,
  )
  return `{ ${fields.join(', ')} }`
}

/** Most ids in the lines; more come from a file. */
const MAX_IDS = 512

/** Architectures that do nothing to the rows but add positions, and those that scale them by √C before. */
const PLAIN: readonly string[] = ['gpt2', 'llama', 'gpt_neox', 't5']
const SCALED: readonly string[] = ['transformer', 'gemma', 'transformer_xl']

const MADE: readonly OutputName[] = ['token_embeddings', 'position_embeddings', 'input_embeddings']

/** The same numbers by PyTorch alone, if a seed gives the tables; the tensor has the name of the output. */
function pytorch(answer: Answer, model: Model | undefined, output: OutputName): Snippet {
  const reason = whyNot(answer, model, output)
  if (reason !== undefined) return { why: reason }
  const { vocab_size: rows, embedding_dim, max_position_embeddings: places } = model as Model
  const channels = embedding_dim as number
  const { batch, recipe } = answer
  const { seed, std } = seedOf(model as Model)!
  const adds = answer.rows.position !== undefined && output !== 'token_embeddings'
  const isLearned = adds && answer.positions?.type === 'learned_absolute'
  const isFromFile = batch.ids.length > MAX_IDS
  const offset = recipe.position_offset ?? 0
  const range = `${offset}, ${offset + batch.length}`
  const scale = SCALED.includes(architectureOf(answer, model as Model)) ? ` * ${channels} ** 0.5` : ''
  const sum = `token_embeddings${scale}${adds ? ' + position_embeddings' : ''}`
  const code = [
    ...(isFromFile ? ['import numpy as np'] : []),
    'import torch',
    '',
    `torch.manual_seed(${seed})`,
    `token_table = ${tableOf(rows, channels, std)}`,
    ...(isLearned ? [`position_table = ${tableOf(places as number, channels, std)}`] : []),
    '',
    ...(output === 'position_embeddings' ? [] : [...idLines(answer, isFromFile), '']),
    'with torch.no_grad():',
    ...(output === 'position_embeddings' ? [] : ['    token_embeddings = token_table(input_ids)']),
    ...(adds ? positionLines(isLearned, range, channels, answer) : []),
    ...(output === 'input_embeddings' ? [`    input_embeddings = ${sum}`] : []),
    `print(${output}.shape)`,
  ].join('\n')
  const readsFile = isFromFile && output !== 'position_embeddings'
  return readsFile ? { code, file: { name: 'input_ids.npy', content: '' } } : { code }
}

function tableOf(rows: number, channels: number, std: number): string {
  if (std === 1) return `torch.nn.Embedding(${rows}, ${channels})`
  return `torch.nn.Embedding.from_pretrained(torch.empty(${rows}, ${channels}).normal_(0, ${std}))`
}

function idLines({ batch }: Answer, isFromFile: boolean): string[] {
  if (isFromFile) return ['input_ids = torch.from_numpy(np.load("input_ids.npy"))']
  const rows = Array.from({ length: batch.windows }, (_, window) =>
    batch.ids.subarray(window * batch.length, (window + 1) * batch.length).join(', '),
  )
  return ['input_ids = torch.tensor([', ...rows.map((row) => `    [${row}],`), '])']
}

function positionLines(
  isLearned: boolean,
  range: string,
  channels: number,
  { recipe }: Answer,
): readonly string[] {
  if (isLearned) return [`    position_embeddings = position_table(torch.arange(${range}))`]
  return [
    `    positions = torch.arange(${range}, dtype=torch.float64)[:, None]`,
    `    angles = positions / ${baseOf(recipe)} ** (torch.arange(0, ${channels}, 2, dtype=torch.float64) / ${channels})`,
    '    position_embeddings = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()',
  ]
}

function seedOf({ tables }: Model) {
  return tables?.source === 'seed' ? { seed: String(tables.seed), std: tables.init_std } : undefined
}

function architectureOf({ recipe }: Answer, model: Model): string {
  return recipe.architecture ?? model.architecture ?? ''
}

function whyNot(answer: Answer, model: Model | undefined, output: OutputName): string | undefined {
  if (model === undefined) return 'The service has not said how this model was made.'
  if (seedOf(model) === undefined) {
    return `The tables of ${model.id} come from a file, not from a seed: take the arrays from the service.`
  }
  if (!MADE.includes(output)) {
    return `PyTorch makes ${MADE.join(', ')}: choose one of them.`
  }
  const architecture = architectureOf(answer, model)
  if (!PLAIN.includes(architecture) && !SCALED.includes(architecture)) {
    return `The architecture ${architecture} does more to the rows: take the arrays from the service.`
  }
  if (answer.positions?.type === 'sinusoidal' && !isPlainSinusoid(answer)) {
    return 'These sinusoids have options: take the arrays from the service.'
  }
  return undefined
}

/** Whether the position rows on screen follow the paper's formula in double, except for a rounding of the last bit here and there. */
function isPlainSinusoid({ rows, recipe }: Answer): boolean {
  const { channels, from, length, position } = rows
  if (position === undefined) return false
  const place = (recipe.position_offset ?? 0) + from + length - 1
  const last = position.subarray((length - 1) * channels)
  const agreeing = last.filter((value, channel) => {
    const angle = place / baseOf(recipe) ** ((channel - (channel % 2)) / channels)
    return value === Math.fround(channel % 2 === 0 ? Math.sin(angle) : Math.cos(angle))
  })
  return agreeing.length >= 0.9 * channels
}

function baseOf({ position_embedding }: Recipe): number {
  return Number(position_embedding?.base ?? 10_000)
}

/** The tensors of what is on screen: the rows, what the position scheme gives, the ids. */
export function outputsOf({ positions }: Answer): readonly OutputName[] {
  const ofScheme = Object.keys(positions?.tensors ?? {}) as OutputName[]
  return ['input_embeddings', 'token_embeddings', ...ofScheme, 'input_ids', 'target_ids', 'attention_mask']
}
