import { readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { folderCard } from '../../../checkpoints/folder-card.js'
import { bytesToRead } from '../../../checkpoints/tables/read-tables.js'
import type { ModelCard } from '../../../first-layer/cards/model-card.js'
import { InletError } from '../../answer/error-table.js'
import { isModelId, MODEL_ID_RULE } from '../cards/model-id.js'
import { describesModel, type ModelFolder, modelFoldersIn } from './model-folders.js'

/** A model on disk: its card, or why it is refused. */
export interface ListedModel {
  /** The folder's name, or `org/model` in the Hugging Face cache, followed by `@` and the commit if there are several. */
  readonly name: string
  readonly path: string
  readonly card?: ModelCard
  /** Bytes that are read from its files. */
  readonly bytesRead?: number
  readonly refusal?: string
}

/**
 * Lists the models in a folder of models or in the Hugging Face cache, or the one model whose folder it is. Reads config
 * and headers, no table.
 *
 * @throws Error of the file system where it cannot be read
 */
export async function listedModels(folder: string): Promise<ListedModel[]> {
  if (await describesModel(folder)) return [await listed(basename(resolve(folder)), folder)]
  const found = await Promise.all(
    (await modelFoldersIn(folder)).map((each) => {
      const [, kind, org, model] = CACHED.exec(each.name) ?? []
      if (kind === undefined) return inFolder(each)
      return kind === 'models' ? inCache(`${org}/${model}`, each.path) : []
    }),
  )
  return found.flat()
}

/** Folders of the Hugging Face cache. */
const CACHED = /^(models|datasets|spaces)--(.+?)--(.+)$/

async function inFolder({ name, path }: ModelFolder): Promise<ListedModel[]> {
  if (isModelId(name)) return [await listed(name, path)]
  return [{ name, path, refusal: `its name must be ${MODEL_ID_RULE}` }]
}

/** The snapshots of a repository in the cache. */
async function inCache(name: string, path: string): Promise<ListedModel[]> {
  const commits = (await readdir(join(path, 'snapshots')).catch(() => [])).sort()
  const main = await readFile(join(path, 'refs', 'main'), 'utf8').catch(() => '')
  return Promise.all(
    commits.map((commit) =>
      listed(commit === main.trim() ? name : `${name}@${commit}`, join(path, 'snapshots', commit)),
    ),
  )
}

async function listed(name: string, path: string): Promise<ListedModel> {
  try {
    const card = await folderCard(name, path)
    return { name, path, card, bytesRead: bytesRead(card) }
  } catch (error) {
    if (!(error instanceof InletError)) throw error
    return { name, path, refusal: error.message }
  }
}

function bytesRead({ source }: ModelCard): number {
  if (source.type !== 'folder') return 0
  return source.tensors.reduce((sum, tensor) => sum + bytesToRead(tensor), 0)
}
