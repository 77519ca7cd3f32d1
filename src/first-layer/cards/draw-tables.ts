import { MAX_DRAWN_NUMBERS } from '../embeddings/positions/drawn-tables.js'
import type { Prepared } from '../embeddings/positions/scheme.js'
import { float32Of, type SharedTables, TABLE_NAMES, type TableName } from '../embeddings/table-memory.js'
import { InletError } from '../errors.js'
import { Drawn } from '../random/drawn.js'
import { TorchGenerator } from '../random/generator.js'
import type { ModelCard } from './model-card.js'

/** Most numbers to skip in a seed's stream before a drawn table: about a second's work of the generator. */
export const MAX_SKIPPED_NUMBERS = 2 ** 30

/**
 * Draws a model's tables as PyTorch does: `torch.manual_seed(seed)`, then one `nn.Embedding` after the other from
 * one stream. A table's numbers do not depend on which other tables the model holds. LayerNorm's weight is 1, its
 * bias 0.
 *
 * @param onShare called now and then with the share that is done, 0 … 1
 */
export function drawFromSeed(tables: SharedTables, card: ModelCard, onShare?: (share: number) => void): void {
  if (card.source.type !== 'seed') throw new Error(`${card.id} is not drawn from a seed`)
  const { seed, initStd } = card.source
  const generator = new TorchGenerator(seed)
  const numbersOf = (name: string) => {
    const place = tables.places.find((each) => each.name === name)
    return place && float32Of(tables, place)
  }
  const drawn = TABLE_NAMES.map(numbersOf)
  const last = drawn.findLastIndex((numbers) => numbers !== undefined)
  const total = drawn.reduce((sum, numbers) => sum + (numbers?.length ?? 0), 0)
  let before = 0
  for (const [i, numbers] of drawn.slice(0, last + 1).entries()) {
    if (numbers === undefined) generator.skipNormal(numbersIn(card, TABLE_NAMES[i]))
    else generator.normal(numbers, 0, initStd, (done) => onShare?.((before + done) / total))
    before += numbers?.length ?? 0
  }
  numbersOf('norm.weight')?.fill(1)
  numbersOf('norm.bias')?.fill(0)
}

/** Numbers of each of the stream's tables before this one, without those in `held`. */
export function numbersBefore(
  card: ModelCard,
  name: TableName,
  held: readonly string[] = [],
): readonly number[] {
  const before = TABLE_NAMES.slice(0, TABLE_NAMES.indexOf(name))
  return before.filter((each) => !held.includes(each)).map((each) => numbersIn(card, each))
}

/** Numbers of a table, whether the model holds it or not. */
export function numbersIn(card: ModelCard, name: TableName): number {
  const rows = {
    'wte.weight': card.vocabSize,
    'wpe.weight': card.maxPositionEmbeddings,
    'wtt.weight': card.typeVocabSize,
  }
  return rows[name] * card.embeddingDim
}

/**
 * Draws a table that a model does not hold, for a request whose architecture or scheme needs it: the numbers that the
 * model's seed would have given it among the other tables. The thread keeps the table for a while.
 *
 * @throws InletError `unsupported_combination` if the model has no seed, or the table would be too large
 */
export function drawnOnDemand(card: ModelCard, name: TableName): Prepared<Float32Array> {
  if (card.source.type !== 'seed') {
    const how = card.source.type === 'folder' ? 'its checkpoint has none' : 'it was uploaded without it'
    throw refused(name, how)
  }
  const numbers = numbersIn(card, name)
  if (numbers > MAX_DRAWN_NUMBERS)
    throw refused(name, `a request may have ${MAX_DRAWN_NUMBERS} numbers drawn, and it has ${numbers}`)
  const skipped = numbersBefore(card, name)
  const before = skipped.reduce((sum, count) => sum + count, 0)
  const most = `more than ${MAX_SKIPPED_NUMBERS}`
  if (before > MAX_SKIPPED_NUMBERS)
    throw refused(name, `${before} numbers come before it in the seed’s stream, ${most}`)
  const { seed, initStd } = card.source
  const drawn = new Drawn({ seed, std: initStd, skipped, lengths: [numbers] })
  return Object.assign(() => drawn.tables[0], { drawn })
}

function refused(name: TableName, why: string): InletError {
  const message = `\`architecture\` or \`position_embedding\` needs ${name}, which the model does not hold: ${why}.`
  return new InletError('unsupported_combination', message, 'position_embedding')
}
