import type { Pooling } from '../../first-layer/pooling/pooling.js'
import type { CheckpointFiles } from '../checkpoint-files.js'
import { ConfigJson } from '../config-json.js'
import { MAX_CARD_BYTES, STATIC_SETTINGS_FILE } from '../model-files.js'

/**
 * Reads what the folder of a static model says to this service alone: `{ "accept_ids": true }`.
 *
 * @throws InletError `model_failed` for other fields or types
 */
export async function staticSettings(files: CheckpointFiles): Promise<Pick<Pooling, 'acceptIds'>> {
  const text = await files.text(STATIC_SETTINGS_FILE, MAX_CARD_BYTES)
  if (text === undefined) return {}
  const settings = ConfigJson.parse(text, STATIC_SETTINGS_FILE)
  settings.checkNames(['accept_ids'])
  const acceptIds = settings.flag('accept_ids')
  return acceptIds === undefined ? {} : { acceptIds }
}
