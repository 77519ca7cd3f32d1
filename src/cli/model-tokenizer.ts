import { basename, resolve } from 'node:path'
import { folderCard } from '../checkpoints/folder-card.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { ownTokenizers } from '../service/models/single-thread.js'
import { environmentCard } from '../service/models/sources/environment.js'
import { folderEntries } from '../service/models/sources/folders.js'
import { isFolder } from '../service/models/sources/model-folders.js'
import { CommandError } from './exit.js'
import { localConfig } from './local-models.js'

/**
 * The tokenizer of a model, by the name that a service would give it, or by its folder. No table is read.
 *
 * @throws CommandError for a model that is not there or is refused, or has no tokenizer
 */
export async function modelTokenizer(name: string, env = process.env): Promise<Tokenizer> {
  const tokenizer = await ownTokenizers()(await modelCard(name, env))
  if (tokenizer.unavailable === undefined) return tokenizer
  throw new CommandError(`${name} has no tokenizer: ${tokenizer.unavailable}`)
}

/**
 * The card of a model, by the name that a service would give it, or by its folder. No table is read.
 *
 * @throws CommandError for a model that is not there or is refused
 */
export async function modelCard(name: string, env = process.env): Promise<ModelCard> {
  try {
    if (await isFolder(name)) return await folderCard(basename(resolve(name)), name)
    const config = localConfig(env)
    const own = environmentCard(config)
    const folders = await folderEntries(config, () => {})
    const found = [{ card: own, error: undefined }, ...folders].find(({ card }) => card.id === name)
    if (found?.error !== undefined) throw new CommandError(`${name} cannot be used: ${found.error.message}`)
    if (found !== undefined) return found.card
    const known = [own.id, ...folders.map(({ card }) => card.id)].join(', ')
    throw new CommandError(`--model must be a folder of a model, or one of ${known}. Given: ${name}`)
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError((error as Error).message, { cause: error })
  }
}
