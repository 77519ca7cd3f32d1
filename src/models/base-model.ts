import { InletError, shown } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'

/**
 * Checks that rows were learned for this model: `base_model_name_or_path` of PEFT's adapter_config.json is the model's id,
 * or what it was made from, a folder or a repository. Of paths the last part counts: `./models/gpt2` is `gpt2`.
 *
 * @throws InletError `unsupported_combination`
 */
export function checkBaseModel(given: string, { id, source }: Pick<ModelCard, 'id' | 'source'>): void {
  const wanted = lastPart(given)
  const folder = source.type === 'folder' ? source.path : ''
  if (wanted === lastPart(id) || wanted === lastPart(folder)) return
  if (folder.split('/').includes(`models--${given.replaceAll('/', '--')}`)) return // the cache of Hugging Face
  const rule = '`base_model` must be the model’s id, or the folder or repository that it was made from'
  throw new InletError(
    'unsupported_combination',
    `${rule}: ${shown(id)}. Given: ${shown(given)}`,
    'base_model',
  )
}

function lastPart(path: string): string {
  return path.replace(/\/+$/, '').split('/').pop() ?? ''
}
