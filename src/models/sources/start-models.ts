import { ConfigError } from '../../errors.js'
import { parametersOf } from '../../first-layer/cards/parameters.js'
import { bytesOfAll } from '../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../entry.js'
import { unloaded } from '../entry.js'
import type { Keeper } from '../keeper/keeper.js'
import type { Maker } from '../keeper/maker.js'
import {
  ENVIRONMENT_ID,
  environmentCard,
  type ModelVariables,
  maxTableBytes,
  type TableLimit,
} from './environment.js'
import { type FolderVariables, folderEntries } from './folders.js'

/** The variables that decide which models there are at the start. */
export interface StartVariables extends ModelVariables, FolderVariables, TableLimit {
  readonly DEFAULT_MODEL: string
  readonly MODELS_LOAD: 'start' | 'request'
}

/** Gets the start's reports about single models. */
export interface StartLog {
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

/**
 * Adds all models of the configuration, and loads them under `MODELS_LOAD=start`. Logs a model that cannot be loaded,
 * unless it is the default one.
 *
 * @throws ConfigError if the default model is missing or cannot be loaded, or the models do not fit together
 */
export async function startModels(
  config: StartVariables,
  keeper: Pick<Keeper, 'add' | 'load'>,
  maker: Pick<Maker, 'inspect'>,
  log: StartLog,
): Promise<void> {
  const own = unloaded(environmentCard(config), 'environment')
  const adding = keeper.add(own)
  const making = config.MODELS_LOAD === 'start' ? keeper.load(own.card.id) : adding
  making.catch(() => {}) // it may fail while the folders are read, and is awaited after that
  const ignored = (folder: string, reason: string) => log.warn({ folder, reason }, 'a model is ignored')
  const folders = await folderEntries(config, ignored, (id, path) => maker.inspect(id, path))
  checkDefault(config, folders, log)
  for (const entry of folders) await keeper.add(entry)
  await making
  if (config.MODELS_LOAD === 'request') return
  checkRoom(config, folders)
  for (const { card, state } of folders) {
    if (state === 'failed') continue
    try {
      await keeper.load(card.id)
    } catch (error) {
      if (card.id === config.DEFAULT_MODEL) throw error
      log.error({ model: card.id, reason: (error as Error).message }, 'a model cannot be loaded')
    }
  }
}

function checkDefault(
  { DEFAULT_MODEL }: StartVariables,
  folders: readonly ModelEntry[],
  log: StartLog,
): void {
  for (const { card, error, folder } of folders) {
    if (error === undefined) continue
    log.error({ model: card.id, folder, reason: error.message }, 'a model cannot be loaded')
    if (card.id === DEFAULT_MODEL) throw new ConfigError(`DEFAULT_MODEL cannot be loaded. ${error.message}`)
  }
  const ids = [ENVIRONMENT_ID, ...folders.map(({ card }) => card.id)]
  if (ids.includes(DEFAULT_MODEL)) return
  throw new ConfigError(`DEFAULT_MODEL must be one of ${ids.join(', ')}. Given: "${DEFAULT_MODEL}"`)
}

/** Refuses models that do not fit together: otherwise the start would evict one of them. */
function checkRoom(config: StartVariables, folders: readonly ModelEntry[]): void {
  const cards = [environmentCard(config), ...folders.filter(({ error }) => !error).map(({ card }) => card)]
  const bytes = cards.reduce((sum, card) => sum + bytesOfAll(parametersOf(card)), 0)
  const most = maxTableBytes(config)
  if (bytes <= most) return
  throw new ConfigError(`MAX_TABLE_BYTES must be at least ${bytes}, the sum of all models. It is ${most}.`)
}
