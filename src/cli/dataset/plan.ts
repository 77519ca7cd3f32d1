import { setTimeout } from 'node:timers/promises'
import { RECIPE_OPTIONS } from '../../first-layer/datasets/recipe-options.js'
import { datasetRecipe, readRecipeQuery } from '../../wire/schemas/dataset-recipe.js'
import { fieldsOf } from '../../wire/schemas/fields.js'
import type { Call, Command } from '../command.js'
import { UsageError } from '../exit.js'
import { FieldFlags } from '../field-flags.js'
import { neededService, neededServiceFlags } from '../service-flags.js'
import { ServiceRefusal } from '../service-refusal.js'
import { DatasetService, type Plan } from './dataset-service.js'
import { forecast } from './forecast.js'
import { neededId } from './listing.js'

/** Which part of an epoch is asked for: the plan is of the whole. */
const OF_A_BATCH: readonly string[] = ['rank', 'epoch', 'num_batches']
const RECIPE = [...Object.keys(RECIPE_OPTIONS), 'seed', 'recipe_id']

const recipeFlags = new FieldFlags(
  fieldsOf(datasetRecipe).filter(({ path }) => RECIPE.includes(path) && !OF_A_BATCH.includes(path)),
)

const MAX_EPOCHS = 1e6

/** `inlet dataset plan`: what a recipe will give, before it runs. */
export const plan: Command = {
  name: 'plan',
  summary: 'Forecasts a training run: windows, padding, dropped and split documents, steps.',
  usage: 'dataset plan ID [flags]',
  examples: [
    'inlet dataset plan ds_iy64f3ouosrs6ybprctvyvsiak --context-length 1024 --batch-size 32 --packing best_fit',
  ],
  flagGroups: [
    { title: 'The recipe', flags: recipeFlags.flags },
    {
      title: 'Flags',
      flags: [
        { name: 'epochs', value: 'N', doc: 'Passes over the dataset, for the number of steps. Default: 1.' },
        { name: 'json', doc: 'The service’s plan as JSON, for programs. Default: a table.' },
        ...neededServiceFlags,
      ],
    },
  ],
  maxFiles: 1,
  run: runPlan,
}

async function runPlan({ files, values, signal }: Call): Promise<void> {
  const id = neededId(files, 'plan')
  const epochs = epochsOf(values.get('epochs'))
  const query = recipeFlags.query(values)
  recipeFlags.checked(() => readRecipeQuery(query))
  const made = await patient(new DatasetService(neededService(values), signal), id, query, signal)
  process.stdout.write(values.has('json') ? `${JSON.stringify(made, null, 2)}\n` : forecast(made, epochs))
}

/** The plan, waited for while the service computes the windows of a recipe that nobody has asked for before. */
async function patient(
  service: DatasetService,
  id: string,
  query: string,
  signal: AbortSignal,
): Promise<Plan> {
  let isSaid = false
  for (;;) {
    try {
      return await service.plan(id, query)
    } catch (error) {
      if (!(error instanceof ServiceRefusal) || error.code !== 'dataset_indexing') throw error
      if (!isSaid) process.stderr.write('The service computes the windows of this recipe.\n')
      isSaid = true
      await setTimeout((error.retryAfter ?? 1) * 1000, undefined, { signal })
    }
  }
}

function epochsOf(given = '1'): number {
  const epochs = /^\d+$/.test(given) ? Number(given) : 0
  if (epochs >= 1 && epochs <= MAX_EPOCHS) return epochs
  throw new UsageError(`--epochs must be an integer from 1 to ${MAX_EPOCHS}. Given: ${given}`)
}
