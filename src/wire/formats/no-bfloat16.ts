import type { FormatRules } from '../../first-layer/embedding-plan.js'

/**
 * The refusal of a format whose element types lack bfloat16.
 *
 * @param format as requests name it
 * @param owner of the types
 */
export function noBfloat16(format: string, owner: string): NonNullable<FormatRules['refuses']> {
  return ({ name, dtype }) =>
    dtype === 'bfloat16'
      ? `\`dtype\` must not be bfloat16 for ${format}: ${owner} has no such type. Given: ${dtype} for ${name}`
      : undefined
}
