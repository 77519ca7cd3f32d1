import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { Checkpoint, SINGLE } from '../checkpoint.js'
import {
  CALIBRATION_FILE,
  type CheckpointFiles,
  CONFIG_FILE,
  MODULES_FILE,
  PROMPTS_FILE,
  STATIC_SETTINGS_FILE,
} from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { readModules, type StaticModules, staticModules } from './modules.js'

/** `model_type` of Model2Vec's config.json. */
export const MODEL2VEC = 'model2vec'
/** Model2Vec's table. */
export const EMBEDDINGS = 'embeddings'

export type StaticLayout =
  | { readonly flavour: 'model2vec'; readonly config: ConfigJson }
  | { readonly flavour: 'sentence_transformers'; readonly modules: StaticModules }

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
  return tensor === undefined ? undefined : { flavour: 'model2vec', config }
}

interface StaticFiles {
  readonly weights: string
  /** The rest. Some may be missing. */
  readonly others: readonly string[]
}

/**
 * Lists the files of a static model, also those that only sentence-transformers reads.
 *
 * @throws InletError `model_failed` for modules outside the folder
 */
export async function staticFiles(files: CheckpointFiles, layout: StaticLayout): Promise<StaticFiles> {
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
