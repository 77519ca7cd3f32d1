import { ConfigJson } from './config-json.js'
import { folderError, told } from './folder-error.js'
import type { FolderFiles } from './folder-files.js'

/** The file that says what a model of sentence-transformers is made of. */
export const MODULES_FILE = 'modules.json'
const SETTINGS = 'config_sentence_transformers.json'
const MOST_BYTES = 1 << 20

/** What modules.json says of a static model. */
export interface StaticModules {
  /** Where the first module's files are: empty, or `0_StaticEmbedding/`. */
  readonly path: string
  readonly normalizes: boolean
  /** The prompt that is put in front of each text. */
  readonly prompt?: string
}

/**
 * Reads modules.json of sentence-transformers: a `StaticEmbedding`, then perhaps a `Normalize`.
 *
 * @throws InletError `model_failed` for any other model
 */
export async function staticModules(folder: FolderFiles): Promise<StaticModules> {
  const modules = listOf((await folder.text(MODULES_FILE, MOST_BYTES)) ?? '')
  const [first, ...others] = modules.map(({ type }) =>
    (typeof type === 'string' ? type : '').split('.').at(-1),
  )
  const isStatic = first === 'StaticEmbedding' && others.every((type) => type === 'Normalize')
  if (!isStatic) {
    const given = told(modules.map(({ type }) => type))
    throw folderError(
      MODULES_FILE,
      `must be a StaticEmbedding, and perhaps Normalize, to be served. Given: ${given}`,
    )
  }
  const { path } = modules[0] ?? {}
  if (typeof path !== 'string' || !/^(|\.|[\w.-]+)$/.test(path) || path === '..') {
    throw folderError(MODULES_FILE, `\`path\` must be the name of a folder in it. Given: ${told(path)}`)
  }
  const prompt = await defaultPrompt(folder)
  return {
    path: path === '' || path === '.' ? '' : `${path}/`,
    normalizes: others.length > 0,
    ...(prompt !== undefined && { prompt }),
  }
}

async function defaultPrompt(folder: FolderFiles): Promise<string | undefined> {
  const text = await folder.text(SETTINGS, MOST_BYTES)
  if (text === undefined) return undefined
  const settings = ConfigJson.parse(text, SETTINGS)
  const name = settings.text('default_prompt_name')
  return name === undefined ? undefined : settings.object('prompts')?.text(name)
}

function listOf(text: string): readonly Record<string, unknown>[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw folderError(MODULES_FILE, `must be JSON: ${(error as Error).message}`)
  }
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null)
  if (isList) return value as readonly Record<string, unknown>[]
  throw folderError(MODULES_FILE, `must be a list of objects. Given: ${told(value)}`)
}
