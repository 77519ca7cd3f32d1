import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { Checkpoint, SINGLE } from '../checkpoint.js'
import {
  CALIBRATION_FILE,
  type CheckpointFiles,
  CONFIG_FILE,
  folderError,
  MODULES_FILE,
  PROMPTS_FILE,
  STATIC_SETTINGS_FILE,
  told,
} from '../checkpoint-files.js'
import { ConfigJson, parsedFile } from '../config-json.js'

/** `model_type` of Model2Vec's config.json. */
export const MODEL2VEC = 'model2vec'
/** Model2Vec's table. */
export const EMBEDDINGS = 'embeddings'

export type StaticLayout =
  | { readonly flavour: 'model2vec'; readonly config: ConfigJson }
  | { readonly flavour: 'sentence_transformers'; readonly modules: StaticModules }

/** The modules of a static model of sentence-transformers. */
export interface StaticModules {
  /** The folder of the first module's files: empty, or `0_StaticEmbedding/`. */
  readonly path: string
  readonly normalizes: boolean
  /** Numbers of an embedding: `truncate_dim`. */
  readonly dimensions: number | undefined
  /** Put in front of each text. */
  readonly prompt: string | undefined
}

/**
 * Detects the layout of a static model; undefined for any other. Model2Vec's config.json names its model type, or, for a
 * `StaticModel` made from arrays, has its tensor beside it; sentence-transformers has modules.json and no config.json.
 *
 * Sources: model2vec 0.10, `persistence/datamodels.py`; sentence-transformers 6.2, `base/model.py`.
 *
 * @param config config.json, if there is one
 * @throws InletError `model_failed`
 */
export async function staticLayout(
  files: CheckpointFiles,
  config: ConfigJson | undefined,
): Promise<StaticLayout | undefined> {
  const names = await files.names()
  if (config === undefined) {
    if (!names.includes(MODULES_FILE)) return undefined
    return { flavour: 'sentence_transformers', modules: await staticModules(files) }
  }
  const modelType = config.text('model_type')
  if (modelType === MODEL2VEC) return { flavour: 'model2vec', config }
  if (modelType !== undefined || !names.includes(SINGLE)) return undefined
  const tensor = await (await Checkpoint.of(files)).find([EMBEDDINGS])
  return tensor && { flavour: 'model2vec', config }
}

/** A StaticEmbedding, then perhaps a Normalize. @throws InletError `model_failed` for any other model */
async function staticModules(files: CheckpointFiles): Promise<StaticModules> {
  const modules = await readModules(files)
  const [first, ...others] = modules
  if (first?.type !== 'StaticEmbedding' || others.some(({ type }) => type !== 'Normalize')) {
    const given = told(modules.map(({ type }) => type))
    const rule = 'must be a StaticEmbedding, and perhaps Normalize, to be served'
    throw folderError(MODULES_FILE, `${rule}. Given: ${given}`)
  }
  const text = (await files.text(PROMPTS_FILE)) ?? '{}'
  // Source: sentence-transformers 6.2, `truncate_embeddings`.
  const settings = ConfigJson.parse(text, PROMPTS_FILE)
  const dimensions = settings.size('truncate_dim')
  const prompt = settings.object('prompts')?.text(settings.text('default_prompt_name') ?? '')
  return { path: first.path, normalizes: others.length > 0, dimensions, prompt }
}

/**
 * The modules of modules.json, each with the last part of its class's name, `Normalize`, and its {@link folderOf}; none if
 * there is no such file. @throws InletError `model_failed`
 */
async function readModules(files: CheckpointFiles) {
  const value = parsedFile(MODULES_FILE, (await files.text(MODULES_FILE)) ?? '[]')
  if (!Array.isArray(value) || !value.every((each) => typeof each === 'object' && each !== null))
    throw folderError(MODULES_FILE, `must be a list of objects. Given: ${told(value)}`)
  return value.map(({ type, path }) => ({
    type: (typeof type === 'string' ? type : '').split('.').at(-1)!,
    path: folderOf(path),
  }))
}

/** The folder of a module's files, with a slash at the end; empty for the model's own. */
function folderOf(path: unknown): string {
  if (path === '' || path === '.') return ''
  if (typeof path === 'string' && /^[\w.-]+$/.test(path) && path !== '..') return `${path}/`
  throw folderError(MODULES_FILE, `\`path\` must be the name of a folder in it. Given: ${told(path)}`)
}

/**
 * Lists the files of a static model, also those that only sentence-transformers reads; some of `others` may be missing.
 *
 * @throws InletError `model_failed` for modules outside the folder
 */
export async function staticFiles(files: CheckpointFiles, layout: StaticLayout) {
  const path = layout.flavour === 'model2vec' ? '' : layout.modules.path
  const folders = (await readModules(files)).map((module) => module.path).filter((each) => each !== '')
  return {
    weights: path + SINGLE,
    others: [
      ...[CONFIG_FILE, MODULES_FILE, PROMPTS_FILE, STATIC_SETTINGS_FILE, CALIBRATION_FILE],
      ...Object.values(TOKENIZER_FILES).map((name) => path + name),
      ...folders.map((folder) => folder + CONFIG_FILE),
    ],
  }
}
