import { CARD_DEFAULTS } from '../../first-layer/cards/card-json.js'
import { seedCard } from '../../first-layer/cards/seed-card.js'
import { type ModelEntry, unloaded } from '../../service/models/entry.js'
import type { Keeper } from '../../service/models/keeper/keeper.js'
import type { StoredModel } from './checkpoint-folders.js'

type StartKeeper = Pick<Keeper, 'add' | 'addUnread' | 'load' | 'entries'>

/**
 * The keeper for the models of the configuration: one that cannot go on from what it has learned does not stop the start.
 *
 * @param stored ids of models that have a checkpoint
 */
export function startKeeper(
  keeper: StartKeeper,
  stored: ReadonlySet<string>,
): Pick<Keeper, 'add' | 'addUnread' | 'load'> {
  return {
    add: (entry) => keeper.add(entry),
    addUnread: (entry, read) => keeper.addUnread(entry, read),
    load: (id) => (stored.has(id) ? loaded(keeper, id) : keeper.load(id)),
  }
}

/** Adds the models that requests made and that learn, and loads them under `MODELS_LOAD=start`. */
export async function startStoredModels(
  stored: readonly StoredModel[],
  keeper: StartKeeper,
  { MODELS_LOAD }: { readonly MODELS_LOAD: 'start' | 'request' },
): Promise<void> {
  const configured = new Set(keeper.entries().map(({ card }) => card.id))
  for (const model of stored) {
    if (configured.has(model.id)) continue
    const entry = entryOf(model)
    await keeper.add(entry)
    if (MODELS_LOAD === 'start' && entry.state !== 'failed') await loaded(keeper, model.id)
  }
}

/** Loads a model. Where that fails, its entry says why, and so does the log. */
async function loaded(keeper: StartKeeper, id: string): Promise<ModelEntry> {
  try {
    return await keeper.load(id)
  } catch (error) {
    const entry = keeper.entries().find(({ card }) => card.id === id)
    if (entry === undefined) throw error
    return entry
  }
}

function entryOf({ id, card, problem }: StoredModel): ModelEntry {
  if (card !== undefined) return unloaded(card, 'request')
  const { embedding_dim } = CARD_DEFAULTS
  const unknown = unloaded(seedCard(id, { ...CARD_DEFAULTS, embedding_dim }), 'request')
  const message =
    problem === undefined
      ? 'it has learned, and the configuration that has its folder does not name it any more'
      : 'its checkpoint in DATA_DIR cannot be read: the service’s log says why'
  return { ...unknown, hasNoCard: true, state: 'failed', error: { code: 'model_failed', message } }
}
