import type { Model, OutputName } from '../../../../../clients/typescript/src/index.js'
import type { Answer } from '../answer/answer.js'
import type { Recipe } from '../recipe/recipe.js'
import type { Snippet } from './taken.js'

/** Most ids that stand in the lines; more come from a file. */
const MAX_IDS = 512

/** Architectures that do nothing to the rows but add positions, and those that scale them by √C before. */
const PLAIN: readonly string[] = ['gpt2', 'llama', 'gpt_neox', 't5']
const SCALED: readonly string[] = ['transformer', 'gemma', 'transformer_xl']

/** The tensors that PyTorch makes here. */
const MADE: readonly OutputName[] = ['token_embeddings', 'position_embeddings', 'input_embeddings']

/** The same numbers by PyTorch alone, where a seed gives the tables; the tensor has the name of the output. */
export function pytorch(answer: Answer, model: Model | undefined, output: OutputName): Snippet {
  const reason = whyNot(answer, model, output)
  if (reason !== undefined) return { why: reason }
  const { vocab_size: rows, embedding_dim, max_position_embeddings: places } = model as Model
  const channels = embedding_dim as number
  const { batch, recipe } = answer
  const { seed, std } = seedOf(model as Model) as Seed
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
    ...(output === 'position_embeddings' ? [] : [...idsOf(answer, isFromFile), '']),
    'with torch.no_grad():',
    ...(output === 'position_embeddings' ? [] : ['    token_embeddings = token_table(input_ids)']),
    ...(adds ? positionLines(isLearned, range, channels, answer) : []),
    ...(output === 'input_embeddings' ? [`    input_embeddings = ${sum}`] : []),
    `print(${output}.shape)`,
  ].join('\n')
  return isFromFile && output !== 'position_embeddings'
    ? { code, file: { name: 'input_ids.npy', content: '' } }
    : { code }
}

function tableOf(rows: number, channels: number, std: number): string {
  if (std === 1) return `torch.nn.Embedding(${rows}, ${channels})`
  return `torch.nn.Embedding.from_pretrained(torch.empty(${rows}, ${channels}).normal_(0, ${std}))`
}

function idsOf({ batch }: Answer, isFromFile: boolean): string[] {
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

interface Seed {
  readonly seed: string
  readonly std: number
}

/** The seed from which the tables are drawn, where there is one. */
function seedOf({ tables }: Model): Seed | undefined {
  if (tables?.source !== 'seed') return undefined
  return { seed: String(tables.seed), std: tables.init_std }
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

/** Whether the position rows on screen are the paper's formula in double: but for a rounding of the last bit here and there. */
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
