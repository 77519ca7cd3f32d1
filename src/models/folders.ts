import { basename } from 'node:path'
import { folderError, shownPath } from '../checkpoints/checkpoint-files.js'
import { folderCard } from '../checkpoints/folder-card.js'
import { parseRepository, snapshotOf } from '../checkpoints/hub-cache.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { InletError } from '../first-layer/errors.js'
import type { ModelEntry } from './entry.js'
import { unloaded, withoutCard } from './entry.js'
import { ENVIRONMENT_ID } from './environment.js'
import { defaultFolders, isFolder, type ModelFolder, modelFoldersIn } from './model-folders.js'
import { isModelId, MODEL_ID_RULE } from './model-id.js'
import { ConfigError, type ModelVariables } from './variables.js'

export type FolderVariables = Pick<ModelVariables, 'MODELS_DIR' | 'MODELS'>

/** Reads a folder's card. */
type Inspect = (id: string, path: string) => Promise<ModelCard>

export type Ignored = (folder: string, reason: string) => void

/**
 * The models of `MODELS_DIR`, by default of {@link defaultFolders}, each under its folder's name, and of `MODELS`, under the names given there. A model whose
 * card is refused gets an entry of state `failed`, with the reason.
 * @throws ConfigError if `MODELS_DIR` is given and cannot be read, or `MODELS` repeats a name
 */
export async function folderEntries(
  config: FolderVariables,
  ignored: Ignored,
  inspect: Inspect = folderCard,
): Promise<ModelEntry[]> {
  const entries: ModelEntry[] = []
  for (const folder of await configuredFolders(config, ignored))
    entries.push(await readFolder(folder, inspect))
  return entries
}

/** The models of the configuration by name, unread. @throws ConfigError as {@link folderEntries} */
export async function configuredFolders(
  { MODELS_DIR: given, MODELS = [] }: FolderVariables,
  ignored: Ignored,
): Promise<ModelFolder[]> {
  const found = new Map<string, ModelFolder>()
  for (const place of given === undefined ? await defaultFolders() : [given]) {
    const inside = await modelFoldersIn(place).catch((error: NodeJS.ErrnoException) => {
      if (given === undefined) return [] // nothing to be read by default
      throw new ConfigError(`MODELS_DIR must be a folder that can be read (${error.code}). Given: ${given}`)
    })
    for (const each of inside) {
      const { name, path } = each
      if (!isModelId(name)) ignored(path, `its name must be ${MODEL_ID_RULE}`)
      else if (name === ENVIRONMENT_ID) ignored(path, `the environment describes the model ${name}`)
      else if (!found.has(name)) found.set(name, each)
    }
  }
  for (const named of MODELS) {
    if (found.has(named.name))
      throw new ConfigError(`MODELS must not repeat the name of another model: ${named.name}`)
    found.set(named.name, named)
  }
  return [...found.values()]
}

/** Reads the folder of a model's name as it is now; undefined where the configuration has none. */
export async function readNamed(
  config: FolderVariables,
  id: string,
  inspect: Inspect,
): Promise<ModelEntry | undefined> {
  const folder = (await configuredFolders(config, () => {})).find(({ name }) => name === id)
  return folder && readFolder(folder, inspect)
}

/** Reads a folder's card; never rejects: a folder that is refused gives an entry of state `failed`. */
export async function readFolder({ name, path: source }: ModelFolder, inspect: Inspect): Promise<ModelEntry> {
  let path: string | undefined
  try {
    path = await placeOf(source)
    return unloaded(await inspect(name, path), 'folder')
  } catch (error) {
    const { message: text, code, name: kind } = error as NodeJS.ErrnoException
    const reason = error instanceof InletError ? text : `cannot be read (${code ?? kind})` // a message has the path
    const message = path === undefined ? reason : `${basename(path)}/${reason}`
    return withoutCard(name, message, { origin: 'folder', folder: source })
  }
}

/** The folder that a source names. @throws InletError `model_failed` where there is none */
async function placeOf(source: string): Promise<string> {
  if (await isFolder(source)) return source
  if (parseRepository(source) !== undefined) return snapshotOf(source)
  throw folderError(shownPath(source), 'is no folder, and MODELS names it')
}
