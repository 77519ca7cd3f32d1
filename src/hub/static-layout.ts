import type { CheckpointFiles } from '../models/folder/checkpoint-files.js'
import { HubError } from './hub-error.js'

const MODULES = 'modules.json'
const MAX_JSON_BYTES = 1 << 22

/** Where a static embedding model (Model2Vec, sentence-transformers' `StaticEmbedding`) has its files. */
export interface StaticLayout {
  readonly weights: string
  /** The rest of what the model is. Some may be missing. */
  readonly files: readonly string[]
}

/**
 * The layout of a static embedding model; undefined for any other model.
 *
 * Sources: model2vec 0.10, `persistence/datamodels.py`; sentence-transformers, `base/model.py`.
 */
export async function staticLayout(files: CheckpointFiles): Promise<StaticLayout | undefined> {
  const names = await files.names()
  const modules = names.includes(MODULES) ? list(await json(files, MODULES)) : []
  const [first] = modules
  const isStatic = first?.type.endsWith('.StaticEmbedding') ?? false
  const config = names.includes('config.json') ? await json(files, 'config.json') : undefined
  if (!isStatic && Object(config).model_type !== 'model2vec') return undefined
  const folder = isStatic ? first.folder : ''
  return {
    weights: `${folder}model.safetensors`,
    files: [
      ...['config.json', MODULES, 'config_sentence_transformers.json'],
      ...['tokenizer.json', 'tokenizer_config.json', 'special_tokens_map.json'].map((name) => folder + name),
      ...modules.filter((each) => each.folder !== '').map((each) => `${each.folder}config.json`),
    ],
  }
}

interface Module {
  readonly type: string
  /** Its folder with a slash at the end; empty for the root. */
  readonly folder: string
}

function list(modules: unknown): Module[] {
  if (!Array.isArray(modules)) throw new HubError(`${MODULES} must be a list of modules.`)
  return modules.map((each) => {
    const { type, path } = Object(each)
    if (typeof type !== 'string' || typeof path !== 'string') {
      throw new HubError(`${MODULES} must say type and path of each module. Given: ${JSON.stringify(each)}`)
    }
    return { type, folder: path === '' || path === '.' ? '' : `${path.replace(/\/$/, '')}/` }
  })
}

async function json(files: CheckpointFiles, name: string): Promise<unknown> {
  try {
    return JSON.parse((await files.text(name, MAX_JSON_BYTES)) ?? '')
  } catch (error) {
    if (error instanceof SyntaxError) throw new HubError(`${name} must be JSON: ${error.message}`)
    throw error
  }
}
