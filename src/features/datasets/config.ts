import type { z } from 'zod'
import { integer, MAX_BYTES, MAX_STORED_BYTES, MIB, oneOf } from '../../service/process/config.js'

/** The variables of datasets. */
export const config = {
  DATASETS: oneOf(['on', 'off'], 'on').describe('off: no routes of datasets.'),
  MAX_DATASET_MEMORY_BYTES: integer(256 * MIB, 0, MAX_STORED_BYTES).describe(
    'Most bytes of datasets without `DATA_DIR`.',
  ),
  MAX_DATASET_BYTES: integer(MAX_BYTES, 1, MAX_STORED_BYTES).describe(
    'Largest upload of a dataset, in bytes after unpacking.',
  ),
} as const

declare module '../../service/process/config.js' {
  interface FeatureVariables extends Readonly<z.output<z.ZodObject<typeof config>>> {}
}
