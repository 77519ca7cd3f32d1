import type { LearningSync } from './record-log.js'

/** The variables of what learning keeps on the disk, under their names. */
export interface LearningVariables {
  readonly DATA_DIR?: string | undefined
  readonly DATA_QUOTA_BYTES: number
  readonly LEARNING_SYNC: LearningSync
}
