import { Checkpoint, SINGLE } from '../checkpoint.js'
import type { CheckpointFiles } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { MODULES_FILE } from '../model-files.js'
import { type StaticModules, staticModules } from './modules.js'

/** `model_type` of Model2Vec's config.json. */
export const MODEL2VEC = 'model2vec'
/** Model2Vec's table. */
export const EMBEDDINGS = 'embeddings'

/** How the files of a static embedding model lie in their folder. */
export type StaticLayout =
  | { readonly flavour: 'model2vec'; readonly config: ConfigJson }
  | { readonly flavour: 'sentence_transformers'; readonly modules: StaticModules }

/**
 * The layout of a static model; undefined for any other. config.json says so, or there is none beside modules.json. Where
 * config.json names no model type, as that of a `StaticModel` made from arrays, Model2Vec's tensor tells.
 *
 * Sources: model2vec 0.10, `persistence/datamodels.py`; sentence-transformers 6.2, `base/model.py`.
 *
 * @param config undefined where there is no config.json
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
