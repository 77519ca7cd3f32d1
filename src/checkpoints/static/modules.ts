import type { CheckpointFiles } from '../checkpoint-files.js'
import { ConfigJson, parsedFile } from '../config-json.js'
import { folderError, told } from '../folder-error.js'
import { MAX_MODULES_BYTES, MODULES_FILE, PROMPTS_FILE } from '../model-files.js'

/** The modules of a static model. */
export interface StaticModules {
  /** The folder of the first module's files: empty, or `0_StaticEmbedding/`. */
  readonly path: string
  readonly normalizes: boolean
  /** Numbers of an embedding: `truncate_dim`. */
  readonly dimensions?: number
  /** Put in front of each text. */
  readonly prompt?: string
}

/** A module of sentence-transformers. */
export interface Module {
  /** The last part of its class's name: `Normalize`. */
  readonly type: string
  /** The folder of its files, with a slash at the end; empty for the model's own. */
  readonly path: string
}

/**
 * Reads the modules of modules.json; none if there is no such file.
 *
 * @throws InletError `model_failed`
 */
export async function readModules(files: CheckpointFiles): Promise<readonly Module[]> {
  const text = await files.text(MODULES_FILE, MAX_MODULES_BYTES)
  if (text === undefined) return []
  return listOf(text).map(({ type, path }) => ({
    type: (typeof type === 'string' ? type : '').split('.').at(-1) ?? '',
    path: folderOf(path),
  }))
}

function folderOf(path: unknown): string {
  if (path === '' || path === '.') return ''
  if (typeof path === 'string' && /^[\w.-]+$/.test(path) && path !== '..') return `${path}/`
  throw folderError(MODULES_FILE, `\`path\` must be the name of a folder in it. Given: ${told(path)}`)
}

/**
 * Reads modules.json of a static model: a `StaticEmbedding`, then perhaps a `Normalize`.
 *
 * @throws InletError `model_failed` for any other model
 */
export async function staticModules(files: CheckpointFiles): Promise<StaticModules> {
  const [first, ...others] = await readModules(files)
  if (first?.type !== 'StaticEmbedding' || others.some(({ type }) => type !== 'Normalize')) {
    const given = told([...(first ? [first] : []), ...others].map(({ type }) => type))
    const rule = 'must be a StaticEmbedding, and perhaps Normalize, to be served'
    throw folderError(MODULES_FILE, `${rule}. Given: ${given}`)
  }
  return { path: first.path, normalizes: others.length > 0, ...(await settingsOf(files)) }
}

type Settings = Pick<StaticModules, 'dimensions' | 'prompt'>

/** Source: sentence-transformers 6.2, `truncate_embeddings`. */
async function settingsOf(files: CheckpointFiles): Promise<Settings> {
  const text = await files.text(PROMPTS_FILE, MAX_MODULES_BYTES)
  if (text === undefined) return {}
  const settings = ConfigJson.parse(text, PROMPTS_FILE)
  const dimensions = settings.size('truncate_dim')
  const prompts = settings.object('prompts')?.texts()
  const prompt = prompts?.[settings.text('default_prompt_name') ?? '']
  return {
    ...(dimensions !== undefined && { dimensions }),
    ...(prompt !== undefined && { prompt }),
  }
}

function listOf(text: string): readonly Record<string, unknown>[] {
  const value = parsedFile(MODULES_FILE, text)
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)
  if (isList) return value as readonly Record<string, unknown>[]
  throw folderError(MODULES_FILE, `must be a list of objects. Given: ${told(value)}`)
}
