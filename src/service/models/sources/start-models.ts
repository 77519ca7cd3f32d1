import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../../models/entry.js'
import { unloaded } from '../../../models/entry.js'
import { ENVIRONMENT_ID, environmentCard, maxTableBytes } from '../../../models/environment.js'
import { configuredFolders, readFolder } from '../../../models/folders.js'
import { ConfigError } from '../../../models/variables.js'
import type { Config } from '../../process/config.js'
import type { Keeper } from '../keeper/keeper.js'
import type { Maker } from '../keeper/maker.js'

/**
 * Adds all models of the configuration, and loads them under `MODELS_LOAD=start`. Logs a model that cannot be loaded.
 * @throws ConfigError if the default model is missing, one that must load cannot be loaded, or the models do not fit together
 */
export async function startModels(
  config: Config,
  keeper: Pick<Keeper, 'add' | 'loadAtStart'>,
  inspect: Maker['inspect'],
  log: Record<'warn' | 'error', (facts: object, message: string) => void>,
): Promise<void> {
  const isLoading = config.MODELS_LOAD === 'start'
  const own = unloaded(environmentCard(config), 'environment')
  const adding = keeper.add(own)
  const making = isLoading ? keeper.loadAtStart(own.card.id) : adding
  making.catch(() => {}) // it may fail while the folders are read, and is awaited after that
  const ignored = (folder: string, reason: string) => log.warn({ folder, reason }, 'a model is ignored')
  const folders = await configuredFolders(config, ignored)
  const ids = [ENVIRONMENT_ID, ...folders.map(({ name }) => name)]
  if (!ids.includes(config.DEFAULT_MODEL))
    throw new ConfigError(`DEFAULT_MODEL must be one of ${ids.join(', ')}. Given: "${config.DEFAULT_MODEL}"`)
  const entries: ModelEntry[] = []
  for (const each of folders) {
    const entry = await readFolder(each, inspect)
    const { card, error, folder } = entry
    if (error !== undefined) {
      log.warn({ model: card.id, folder, reason: error.message }, 'a model is refused')
      checkOptional(config, card.id, error.message)
    }
    entries.push(entry)
  }
  for (const entry of entries) await keeper.add(entry)
  await making
  if (!isLoading) return
  const readable = entries.filter(({ error }) => error === undefined)
  const cards = [own, ...readable].map(({ card }) => card)
  const bytes = cards.reduce((sum, card) => sum + bytesOfAll(parametersOf(card)), 0)
  const most = maxTableBytes(config)
  // The start would evict one of them.
  if (bytes > most)
    throw new ConfigError(`MAX_TABLE_BYTES must be at least ${bytes}, the sum of all models. It is ${most}.`)
  for (const { card } of readable) {
    await keeper.loadAtStart(card.id).catch(({ message: reason }: Error) => {
      log.error({ model: card.id, reason }, 'a model cannot be loaded')
      checkOptional(config, card.id, reason)
    })
  }
}

/** @throws ConfigError for a model without which the service does not start */
function checkOptional({ DEFAULT_MODEL, MODELS = [], MODELS_STRICT }: Config, model: string, reason: string) {
  if (model === DEFAULT_MODEL) throw new ConfigError(`DEFAULT_MODEL cannot be loaded. ${reason}`)
  if (!(MODELS_STRICT ?? MODELS.some(({ name }) => name === model))) return
  throw new ConfigError(
    `The model ${model} cannot be loaded. ${reason} With MODELS_STRICT=0 the service starts without it.`,
  )
}
