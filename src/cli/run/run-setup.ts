import { holdsTensors, type Recipe } from '../../run/recipe.js'
import type { ThreadData } from '../../run/run-thread.js'
import { UsageError } from '../exit.js'
import { checkOptions, optionFlags, optionQuery, schemeFlags } from '../option-flags.js'
import { type AskedRun, readRunFlags, recipeFlags } from './run-fields.js'
import { runTokenizer, tokenizerOfCard } from './run-tokenizer.js'

const own = new Set(recipeFlags.map(({ name }) => name))

/** The flags that are for embeddings alone. */
export const embeddingFlags = optionFlags.filter(({ name }) => !own.has(name))

/** What a run's threads are started with. @throws UsageError for flags that do not fit, CommandError for a model */
export async function runSetup(
  values: ReadonlyMap<string, string>,
  threads: number,
): Promise<Pick<ThreadData, 'recipe' | 'shared'>> {
  const { encoding, model, ...asked } = readRunFlags(values)
  if (holdsTensors(asked.to)) return embeddingSetup(values, { ...asked, encoding, model }, threads)
  const other = [...embeddingFlags, ...schemeFlags].find(({ name }) => values.has(name))
  if (other !== undefined)
    throw new UsageError(`--${other.name} must not be given without --to safetensors or npy.`)
  return { recipe: { ...asked, tokenizer: await runTokenizer({ encoding, model }) } }
}

async function embeddingSetup(
  values: ReadonlyMap<string, string>,
  { encoding, model, ...asked }: AskedRun,
  threads: number,
): Promise<Pick<ThreadData, 'recipe' | 'shared'>> {
  if (encoding !== undefined)
    throw new UsageError(`--encoding must not be given beside --to ${asked.to}: the model has its own.`)
  const query = optionQuery(values)
  checkOptions(query)
  // What makes tables and computes with them: ids do without.
  const { LocalModels } = await import('../local-models.js')
  const { hashOfModel } = await import('../../run/open-model.js')
  const shared = await (await LocalModels.open(process.env, threads)).shared(model)
  const recipe: Recipe = {
    ...asked,
    tokenizer: tokenizerOfCard(shared.entry.card),
    embedding: { query, model: hashOfModel(shared.entry) },
  }
  return { recipe, shared }
}
