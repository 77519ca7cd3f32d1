import { MAX_DRAWN_NUMBERS } from '../embeddings/positions/drawn-tables.js'
import type { Prepared } from '../embeddings/positions/scheme.js'
import {
  bytesOf,
  type SharedTables,
  TABLE_NAMES,
  type TableName,
  type TablePlace,
} from '../embeddings/table-memory.js'
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
  const drawn = TABLE_NAMES.map((name) => tables.places.find((place) => place.name === name))
  const last = drawn.findLastIndex((place) => place !== undefined)
  const total = drawn.reduce((sum, place, i) => sum + (place ? numbersIn(card, TABLE_NAMES[i]) : 0), 0)
  let before = 0
  for (const [i, place] of drawn.slice(0, last + 1).entries()) {
    if (place === undefined) {
      generator.skipNormal(numbersIn(card, TABLE_NAMES[i]))
      continue
    }
    const numbers = float32In(tables, place)
    generator.normal(numbers, 0, initStd, (done) => onShare?.((before + done) / total))
    before += numbers.length
  }
  for (const place of tables.places) {
    if (place.name === 'norm.weight') float32In(tables, place).fill(1)
    else if (place.name === 'norm.bias') float32In(tables, place).fill(0)
  }
}

function float32In(tables: SharedTables, place: TablePlace): Float32Array {
  const bytes = bytesOf(tables, place)
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

/** Numbers of the stream's tables before this one, without those in `held`. */
export function numbersBefore(card: ModelCard, name: TableName, held: readonly string[] = []): number {
  const skipped = namesBefore(name).filter((before) => !held.includes(before))
  return skipped.reduce((sum, before) => sum + numbersIn(card, before), 0)
}

function namesBefore(name: TableName): readonly TableName[] {
  return TABLE_NAMES.slice(0, TABLE_NAMES.indexOf(name))
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
  if (numbers > MAX_DRAWN_NUMBERS) {
    throw refused(
      name,
      `its ${numbers} numbers are above the ${MAX_DRAWN_NUMBERS} that a request may have drawn`,
    )
  }
  const before = numbersBefore(card, name)
  if (before > MAX_SKIPPED_NUMBERS) {
    throw refused(
      name,
      `${before} numbers come before it in the seed’s stream, more than ${MAX_SKIPPED_NUMBERS}`,
    )
  }
  const { seed, initStd } = card.source
  const skipped = namesBefore(name).map((each) => numbersIn(card, each))
  const drawn = new Drawn({ seed, std: initStd, skipped, lengths: [numbers] })
  return Object.assign(() => drawn.tables[0], { drawn })
}

function refused(name: TableName, why: string): InletError {
  const message = `\`architecture\` or \`position_embedding\` needs ${name}, which the model does not hold: ${why}.`
  return new InletError('unsupported_combination', message, 'position_embedding')
}
