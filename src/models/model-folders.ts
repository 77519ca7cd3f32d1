import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MODEL_FILES } from '../checkpoints/checkpoint-files.js'
import { packageFile } from '../first-layer/package-file.js'

/** Folder of the models where `MODELS_DIR` is not set: `inlet pull` writes there, `serve` and `models` look there. */
export const MODELS_FOLDER = './models'

export interface ModelFolder {
  readonly name: string
  readonly path: string
}

/** The folders of models where `MODELS_DIR` names none: {@link MODELS_FOLDER}, if it is there, and the package's own. */
export async function defaultFolders(): Promise<readonly string[]> {
  const folders = [resolve(MODELS_FOLDER), fileURLToPath(packageFile('models'))]
  const real = await Promise.all(folders.map((each) => realpath(each).catch(() => undefined)))
  return folders.filter((_, i) => real[i] !== undefined && real.indexOf(real[i]) === i)
}

/**
 * The folders in a folder of models, by name; `org/model` for one within a folder that is no model itself. Hidden folders
 * and files are passed over. One without a model is listed too: it has the reason why it is none.
 * @throws Error of the file system where `folder` cannot be read
 */
export async function modelFoldersIn(folder: string): Promise<ModelFolder[]> {
  const found: ModelFolder[] = []
  for (const { name, path } of await foldersIn(folder)) {
    const inside = (await describesModel(path)) ? [] : await foldersIn(path).catch(() => [])
    const models: ModelFolder[] = []
    for (const each of inside) if (await describesModel(each.path)) models.push(each)
    if (models.length === 0) found.push({ name, path })
    for (const model of models) found.push({ name: `${name}/${model.name}`, path: model.path })
  }
  return found
}

export async function describesModel(path: string): Promise<boolean> {
  for (const name of MODEL_FILES) if ((await kindOf(join(path, name))) === 'file') return true
  return false
}

export async function isFolder(path: string): Promise<boolean> {
  return (await kindOf(path)) === 'folder'
}

async function foldersIn(folder: string): Promise<ModelFolder[]> {
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.')).sort()
  const found: ModelFolder[] = []
  for (const name of names) {
    const path = join(folder, name)
    if (await isFolder(path)) found.push({ name, path })
  }
  return found
}

async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory()) return 'folder'
  return found?.isFile() ? 'file' : undefined
}
