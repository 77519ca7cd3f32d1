import { InletError, shown } from '../errors.js'
import type { Pooling } from '../first-layer/pooling/pooling.js'

/**
 * A model's pooling with the prompt that a request names.
 *
 * @throws InletError `invalid_request` for a name that the model does not have
 */
export function withPrompt(pooling: Pooling, name: string | null | undefined): Pooling {
  if (name === null || name === undefined) return pooling
  const { prompts = {} } = pooling
  if (Object.hasOwn(prompts, name)) return { ...pooling, prompt: prompts[name]! }
  const names = Object.keys(prompts)
  const rule =
    names.length === 0
      ? 'must be absent: the model has no prompts'
      : `must be one of ${names.map(shown).join(', ')}`
  throw new InletError('invalid_request', `\`prompt_name\` ${rule}. Given: ${shown(name)}`, 'prompt_name')
}
