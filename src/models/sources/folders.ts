import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderCard } from '../../checkpoints/folder-card.js'
import { isRepository, snapshotOf } from '../../checkpoints/hub-cache.js'
import { MODEL_FILES } from '../../checkpoints/model-files.js'
import { ConfigError, InletError } from '../../errors.js'
import { seedCard } from '../../first-layer/cards/seed-card.js'
import { CARD_DEFAULTS } from '../../first-layer/cards/sizes.js'
import { packageFile } from '../../first-layer/package-file.js'
import { isModelId, MODEL_ID_RULE } from '../cards/model-id.js'
import type { ModelEntry } from '../entry.js'
import { unloaded } from '../entry.js'
import type { Maker } from '../keeper/maker.js'
import { ENVIRONMENT_ID } from './environment.js'
import type { NamedSource } from './named-sources.js'

/** The variables that name folders of models. */
export interface FolderVariables {
  readonly MODELS_DIR?: string | undefined
  readonly MODELS?: readonly NamedSource[] | undefined
}

/** Called with a folder that is not taken as a model, and why. */
export type Ignored = (folder: string, reason: string) => void

/**
 * The models of `MODELS_DIR`, each under its folder's name, and of `MODELS`, under the names given there. A model whose
 * card is refused gets an entry of state `failed`, with the reason.
 *
 * @throws ConfigError if `MODELS_DIR` is given and cannot be read, or `MODELS` repeats a name
 */
export async function folderEntries(
  config: FolderVariables,
  ignored: Ignored,
  inspect: Maker['inspect'] = folderCard,
): Promise<ModelEntry[]> {
  const named = (config.MODELS ?? []).map(({ id, source }) => ({ name: id, path: source }))
  const folders = [...(await foldersIn(config.MODELS_DIR, ignored)), ...named]
  const entries = new Map<string, ModelEntry>()
  for (const { name, path } of folders) {
    if (name === ENVIRONMENT_ID) ignored(path, `the environment describes the model ${ENVIRONMENT_ID}`)
    else if (entries.has(name))
      throw new ConfigError(`MODELS must not repeat the name of another model: ${name}`)
    else entries.set(name, await entryOf(name, path, inspect))
  }
  return [...entries.values()]
}

/** A model's folder, and the model's id. */
interface ModelFolder {
  readonly name: string
  readonly path: string
}

async function foldersIn(given: string | undefined, ignored: Ignored): Promise<ModelFolder[]> {
  const folder = given ?? packageFile('models')
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (given === undefined) return [] // a package without a folder of models
    throw new ConfigError(`MODELS_DIR must be a folder that can be read (${error.code}). Given: ${given}`)
  })
  const found: ModelFolder[] = []
  for (const name of names.sort()) {
    const path = join(given ?? fileURLToPath(packageFile('models')), name)
    if (!(await describesModel(path))) continue
    if (isModelId(name)) found.push({ name, path })
    else ignored(path, `its name must be ${MODEL_ID_RULE}`)
  }
  return found
}

/** Whether a folder has one of the files that make it a model. */
export async function describesModel(path: string): Promise<boolean> {
  for (const name of MODEL_FILES) if (await isFile(join(path, name))) return true
  return false
}

async function entryOf(name: string, source: string, inspect: Maker['inspect']): Promise<ModelEntry> {
  let path = source
  try {
    if (isRepository(source) && !(await isFolder(source))) path = await snapshotOf(source)
    return unloaded(await inspect(name, path), 'folder')
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    const message =
      path === source && isRepository(source) ? error.message : `${basename(path)}/${error.message}`
    const { embedding_dim } = CARD_DEFAULTS
    const card = seedCard(name, { ...CARD_DEFAULTS, embedding_dim })
    return {
      ...unloaded(card, 'folder'),
      state: 'failed',
      isUnreadable: true,
      error: { code: 'model_failed', message },
    }
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}
