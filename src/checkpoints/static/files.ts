import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/read.js'
import { SINGLE } from '../checkpoint.js'
import type { CheckpointFiles } from '../checkpoint-files.js'
import { CONFIG_FILE, MODULES_FILE, PROMPTS_FILE } from '../model-files.js'
import type { StaticLayout } from './layout.js'
import { readModules } from './modules.js'

/** The files that a static embedding model is made of. */
export interface StaticFiles {
  readonly weights: string
  /** The rest. Some may be missing. */
  readonly others: readonly string[]
}

/**
 * The files of a static model, also those that only sentence-transformers reads.
 *
 * @throws InletError `model_failed` for modules outside the folder
 */
export async function staticFiles(files: CheckpointFiles, layout: StaticLayout): Promise<StaticFiles> {
  const path = layout.flavour === 'model2vec' ? '' : layout.modules.path
  const folders = (await readModules(files)).map((module) => module.path).filter((each) => each !== '')
  return {
    weights: path + SINGLE,
    others: [
      ...[CONFIG_FILE, MODULES_FILE, PROMPTS_FILE],
      ...Object.values(TOKENIZER_FILES).map((name) => path + name),
      ...folders.map((folder) => folder + CONFIG_FILE),
    ],
  }
}
