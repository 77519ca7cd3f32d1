import { bytesOf, type SharedTables } from '../../embeddings/table-memory.js'
import { TorchGenerator } from '../../random/generator.js'
import { fillNormalInSlices } from '../../random/normal-slices.js'
import type { StopSignal } from '../../turn.js'
import type { ModelCard } from '../model-card.js'

/** The tables that one seed draws, in this order, whichever of them a model holds. */
const STREAM = ['wte.weight', 'wpe.weight', 'wtt.weight'] as const
export type DrawnName = (typeof STREAM)[number]

/**
 * Draws a model's tables as PyTorch does: `torch.manual_seed(seed)`, then one `nn.Embedding` after the other, from one
 * stream, whose numbers do not depend on which of them the model holds. LayerNorm's weight is 1, its bias 0.
 *
 * Yields the share that is done, 0 … 1; other work of the event loop runs in between.
 */
export async function* drawFromSeed(
  tables: SharedTables,
  card: ModelCard,
): AsyncGenerator<number, void, void> {
  if (card.source.type !== 'seed') throw new Error(`${card.id} is not drawn from a seed`)
  const { seed, initStd } = card.source
  const generator = new TorchGenerator(seed)
  const places = new Map(tables.places.map((place) => [place.name, place]))
  const total = STREAM.reduce((sum, name) => sum + (places.has(name) ? numbersOf(card, name) : 0), 0)
  let before = 0
  for (const name of STREAM) {
    const place = places.get(name)
    if (place === undefined) {
      generator.skipNormal(numbersOf(card, name))
      continue
    }
    const bytes = bytesOf(tables, place)
    const numbers = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
    for await (const done of fillNormalInSlices(generator, numbers, { std: initStd }))
      yield (before + done) / total
    before += numbers.length
  }
  const weight = places.get('norm.weight')
  if (weight !== undefined) {
    const bytes = bytesOf(tables, weight)
    new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4).fill(1)
  }
}

/**
 * One of the tables that a seed draws, for a request whose architecture or scheme uses it where the model's own does
 * not: BERT's token types on a GPT-2 model.
 */
export async function drawOne(card: ModelCard, name: DrawnName, signal: StopSignal): Promise<Float32Array> {
  if (card.source.type !== 'seed') throw new Error(`${card.id} is not drawn from a seed`)
  const { seed, initStd } = card.source
  const generator = new TorchGenerator(seed)
  for (const before of STREAM.slice(0, STREAM.indexOf(name))) generator.skipNormal(numbersOf(card, before))
  const numbers = new Float32Array(numbersOf(card, name))
  for await (const _ of fillNormalInSlices(generator, numbers, { std: initStd })) signal.throwIfAborted()
  return numbers
}

function numbersOf(card: ModelCard, name: DrawnName): number {
  const rows = {
    'wte.weight': card.vocabSize,
    'wpe.weight': card.maxPositionEmbeddings,
    'wtt.weight': card.typeVocabSize,
  }
  return rows[name] * card.embeddingDim
}
