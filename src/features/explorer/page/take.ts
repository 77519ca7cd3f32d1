import type { InputEmbeddingsFields, OutputName } from '../../../../clients/typescript/src/index.js'
import { type Answer, embeddingsFields } from './load.js'

/** The ways to take a tensor along, in the order of their tabs. */
export const WAYS = ['curl', 'Python', 'PyTorch'] as const

/** The service's address, and whether it asks for a key: the lines then read `INLET_API_KEY`. */
export interface Source {
  readonly service: string
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
  if (way === 'PyTorch') return pytorch(answer, output)
  const taken = { ...takenOf(answer, output, source.service), output, ...source }
  const content = JSON.stringify(taken.body)
  const file = content.length > MAX_WRITTEN ? { name: 'body.json', content } : undefined
  return { code: (way === 'curl' ? curl : python)(taken, file?.name), file }
}

/** The call for a tensor of what is on screen. */
export function takenOf({ recipe }: Answer, output: OutputName, service: string) {
  return { address: new URL('v1/input-embeddings', service).href, body: embeddingsFields(recipe, [output]) }
}

/** The tensors of what is on screen: the rows, what the position scheme gives, the ids. */
export function outputsOf({ positions }: Answer): readonly OutputName[] {
  const ofScheme = Object.keys(positions?.tensors ?? {}) as OutputName[]
  return ['input_embeddings', 'token_embeddings', ...ofScheme, 'input_ids', 'target_ids', 'attention_mask']
}

type Taken = Source & ReturnType<typeof takenOf> & { readonly output: OutputName }

/** Most characters of a body that stands in the lines; a longer one is a file. */
const MAX_WRITTEN = 8192

/** The call for a shell; the tensor comes as a file of NumPy. */
function curl({ address, body, output, needsKey }: Taken, file: string | undefined): string {
  return [
    `curl -sSf ${shellQuoted(address)}`,
    "-H 'content-type: application/json'",
    "-H 'accept: application/x-npy'",
    ...(needsKey ? ['-H "authorization: Bearer $INLET_API_KEY"'] : []),
    `-o ${output}.npy`,
    file === undefined ? `-d ${shellQuoted(`{\n${fieldLines(body)}\n  }`)}` : `--data-binary @${file}`,
  ].join(' \\\n  ')
}

/** Fields a line each, as JSON and Python write them. @param yes true, which Python writes otherwise */
function fieldLines(body: InputEmbeddingsFields, yes = 'true'): string {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined)
  const lines = fields.map(
    ([name, value]) => `    "${name}": ${value === true ? yes : JSON.stringify(value)}`,
  )
  return lines.join(',\n')
}

/** A word of a POSIX shell in which nothing is expanded: it's → 'it'\''s'. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The call for Python: requests and NumPy; the tensor is `array`. Python reads JSON's strings and numbers the same. */
function python({ address, body, needsKey }: Taken, file: string | undefined): string {
  return [
    'import io',
    ...(needsKey ? ['import os'] : []),
    '',
    'import numpy as np',
    'import requests',
    '',
    `url = ${JSON.stringify(address)}`,
    'headers = {"accept": "application/x-npy", "content-type": "application/json"}',
    ...(needsKey ? ['headers["authorization"] = "Bearer " + os.environ["INLET_API_KEY"]'] : []),
    ...(file === undefined
      ? ['body = {', fieldLines(body, 'True'), '}', 'answer = requests.post(url, json=body, headers=headers)']
      : [`answer = requests.post(url, data=open("${file}", "rb"), headers=headers)`]),
    'answer.raise_for_status()',
    'array = np.load(io.BytesIO(answer.content))',
    'print(array.dtype, array.shape)',
  ].join('\n')
}

/** Architectures that do nothing to the rows but add positions. */
const PLAIN: readonly string[] = ['gpt2', 'llama', 'gpt_neox', 't5']

const MADE: readonly OutputName[] = ['token_embeddings', 'position_embeddings', 'input_embeddings']

/** Most ids that stand in the lines. */
const MAX_IDS = 16_384

/** The same numbers by PyTorch alone, if a seed gives the tables; the tensor has the name of the output. */
function pytorch(answer: Answer, output: OutputName): Snippet {
  const why = whyNot(answer, output)
  if (why !== undefined) return { why }
  const { batch, recipe, model, positions, rows } = answer
  const [channels, std] = [model.embedding_dim!, model.tables?.source === 'seed' ? model.tables.init_std : 1]
  const seed = model.tables?.source === 'seed' ? model.tables.seed : ''
  const table = (size: number) =>
    std === 1
      ? `torch.nn.Embedding(${size}, ${channels})`
      : `torch.nn.Embedding.from_pretrained(torch.empty(${size}, ${channels}).normal_(0, ${std}))`
  const ids = Array.from({ length: batch.windows }, (_, window) =>
    batch.ids.subarray(window * batch.length, (window + 1) * batch.length).join(', '),
  )
  const offset = recipe.position_offset ?? 0
  const range = `${offset}, ${offset + batch.length}`
  const adds = rows.position !== undefined && output !== 'token_embeddings'
  const isLearned = positions?.type === 'learned_absolute'
  const positionLines = isLearned
    ? [`    position_embeddings = position_table(torch.arange(${range}))`]
    : [
        `    positions = torch.arange(${range}, dtype=torch.float64)[:, None]`,
        `    angles = positions / 10000 ** (torch.arange(0, ${channels}, 2, dtype=torch.float64) / ${channels})`,
        '    position_embeddings = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()',
      ]
  const sum = `token_embeddings${adds ? ' + position_embeddings' : ''}`
  const code = [
    'import torch',
    '',
    `torch.manual_seed(${seed})`,
    `token_table = ${table(model.vocab_size)}`,
    ...(adds && isLearned ? [`position_table = ${table(model.max_position_embeddings!)}`] : []),
    'input_ids = torch.tensor([',
    ...ids.map((row) => `    [${row}],`),
    '])',
    '',
    'with torch.no_grad():',
    '    token_embeddings = token_table(input_ids)',
    ...(adds ? positionLines : []),
    ...(output === 'input_embeddings' ? [`    input_embeddings = ${sum}`] : []),
    `print(${output}.shape)`,
  ].join('\n')
  return { code }
}

function whyNot({ model, batch, recipe, positions, rows }: Answer, output: OutputName): string | undefined {
  const instead = 'take the arrays from the service.'
  if (model.tables?.source !== 'seed')
    return `The tables of ${model.id} come from a file, not from a seed: ${instead}`
  if (!MADE.includes(output)) return `PyTorch makes ${MADE.join(', ')}: choose one of them.`
  if (!PLAIN.includes(model.architecture ?? ''))
    return `The architecture ${model.architecture} does more to the rows: ${instead}`
  const isKnown = positions?.type === 'learned_absolute' || recipe.position_embedding === 'sinusoidal'
  if (rows.position !== undefined && !isKnown)
    return `These rows of ${positions?.type} may have options: ${instead}`
  return batch.ids.length > MAX_IDS ? `These are many ids for lines: ${instead}` : undefined
}
