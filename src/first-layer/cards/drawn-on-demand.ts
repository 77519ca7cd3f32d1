import { MAX_DRAWN_NUMBERS } from '../embeddings/positions/drawn-tables.js'
import { keepTables, keptTables } from '../embeddings/positions/kept-tables.js'
import { madeInSteps, type Prepared } from '../embeddings/positions/prepared.js'
import { drawShared } from '../embeddings/positions/shared-drawing.js'
import type { TableName } from '../embeddings/table-names.js'
import { InletError } from '../errors.js'
import { drawOne, MAX_SKIPPED_NUMBERS, numbersBefore, numbersIn } from './draw-tables.js'
import type { ModelCard } from './model-card.js'

/**
 * Draws a table that a model does not hold, for a request whose architecture or scheme needs it: the numbers that the
 * model's seed would have given it among the other tables. Simultaneous requests share one drawing, and the thread keeps
 * the table for a while.
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
  const key = `${name}:${seed}:${initStd}:${card.vocabSize}:${card.maxPositionEmbeddings}:${card.typeVocabSize}:${card.embeddingDim}`
  return madeInSteps(function* () {
    yield numbers * Float32Array.BYTES_PER_ELEMENT
    const kept = keptTables(key)
    if (kept !== undefined) return kept[0] as Float32Array
    const [table] = yield* drawShared(key, () => drawOne(card, name))
    keepTables(key, [table as Float32Array])
    return table as Float32Array
  })
}

function refused(name: TableName, why: string): InletError {
  const message = `\`architecture\` or \`position_embedding\` needs ${name}, which the model does not hold: ${why}.`
  return new InletError('unsupported_combination', message, 'position_embedding')
}
