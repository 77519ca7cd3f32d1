import { basename, resolve } from 'node:path'
import { folderCard } from '../checkpoints/folder-card.js'
import { makeTables } from '../checkpoints/tables/make-tables.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { Tokenizers } from '../first-layer/cards/tokenizers.js'
import { RustLibrary } from '../first-layer/tokens/rust/rust-library.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkFits, environmentCard } from '../models/environment.js'
import { folderEntries } from '../models/folders.js'
import { isFolder } from '../models/model-folders.js'
import { MODEL_VARIABLES, readVariables } from '../models/variables.js'
import type { SharedModel } from '../run/open-model.js'
import { CommandError } from './program.js'

/**
 * A model with its tables, to be opened in this thread or in others. @param asked its name, or its folder. Default:
 * `DEFAULT_MODEL` @throws as {@link modelCard}, and for one that this machine cannot hold
 */
export async function localModel(
  asked: string | undefined,
  threads = 1,
  env = process.env,
): Promise<Omit<SharedModel, 'options'>> {
  const config = readVariables(env, MODEL_VARIABLES)
  const name = asked ?? config.DEFAULT_MODEL
  const card = await modelCard(name, env, name)
  checkFits(card, config)
  return { card, tables: await makeTables(card, threads), version: '1', backend: config.TF_BACKEND }
}

/** The tokenizer of a model that {@link modelCard} finds. @throws CommandError also where it has none */
export async function modelTokenizer(name: string, env = process.env): Promise<Tokenizer> {
  const tokenizer = await new Tokenizers(new RustLibrary()).of(await modelCard(name, env))
  if (tokenizer.unavailable === undefined) return tokenizer
  throw new CommandError(`${name} has no tokenizer: ${tokenizer.unavailable}`)
}

/**
 * The card of a model, by the name that a service would give it, or by its folder. No table is read.
 * @param id of a folder's card
 * @throws ConfigError for a wrong value in the environment, CommandError or InletError for a model that is not there or is refused
 */
export async function modelCard(
  name: string,
  env = process.env,
  id = basename(resolve(name)),
): Promise<ModelCard> {
  if (await isFolder(name)) return folderCard(id, name)
  const config = readVariables(env, MODEL_VARIABLES)
  const entries = [
    { card: environmentCard(config), error: undefined },
    ...(await folderEntries(config, () => {})),
  ]
  const found = entries.find(({ card }) => card.id === name)
  if (found?.error !== undefined) throw new CommandError(`${name} cannot be used: ${found.error.message}`)
  if (found !== undefined) return found.card
  const known = entries.map(({ card }) => card.id).join(', ')
  throw new CommandError(`--model must be a folder of a model, or one of ${known}. Given: ${name}`)
}
